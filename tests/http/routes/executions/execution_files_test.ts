import { assertEquals, assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../../../../src/base/json.ts";
import { Transfers } from "../../../../src/machine/http_server/transfers.ts";
import { attachWatcher } from "../../../../src/model/http/transfer_watch.ts";
import { Harness } from "../../../support/harness.ts";
import { json } from "../../../support/flows/request_bodies.ts";
import { CORE } from "../../../tasks/core_flows.ts";

/** Starts a flow with one FILE input; the execution's id and the file's URI. */
async function withFile(app: Harness, name: string, content: BlobPart): Promise<{ id: string; uri: string }> {
  const known = await app.request("GET", "/flows/demo/files");
  await known.body?.cancel();
  if (known.status === 404) {
    await app.save(`id: files
namespace: demo
inputs: [{id: f, type: FILE}]
tasks: [{id: w, type: ${CORE}storage.Write, content: "a,b", extension: .csv}]
`);
  }
  const body = new FormData();
  body.append("f", new Blob([content]), name);
  const execution = await app.json("POST", "/executions/demo/files?wait=true", { body }) as unknown as {
    id: string;
    inputs: { f: string };
  };
  return { id: execution.id, uri: execution.inputs.f };
}

function pathTo(id: string, what: string, uri: string, query = ""): string {
  return `/executions/${id}/file${what}?path=${encodeURIComponent(uri)}${query}`;
}

Deno.test("GET /executions/{id}/file returns the content as an attachment", async () => {
  await using app = await Harness.start();
  const { id, uri } = await withFile(app, 'ä "b".txt', "hello");
  const response = await app.request("GET", pathTo(id, "", uri));
  assertEquals([response.status, await response.text()], [200, "hello"]);
  const { headers } = response;
  assertEquals(headers.get("content-type"), "application/octet-stream");
  assertEquals(headers.get("content-length"), "5");
  assertEquals(headers.get("x-content-type-options"), "nosniff");
  assertEquals(
    headers.get("content-disposition"),
    `attachment; filename="_ _b_.txt"; filename*=UTF-8''%C3%A4%20_b_.txt`,
  );
  const head = await app.request("HEAD", pathTo(id, "", uri));
  assertEquals([head.status, head.headers.get("content-length"), await head.text()], [200, "5", ""]);
});

Deno.test("GET /executions/{id}/file fails when nothing is read for five minutes", async () => {
  await using app = await Harness.start();
  const { id, uri } = await withFile(app, "a.txt", "x".repeat(200_000));
  const request = new Request(`http://127.0.0.1:8080/api/v1/main${pathTo(id, "", uri)}`);
  const transfers = new Transfers();
  attachWatcher(request, transfers);
  const reader = (await app.assembly.fetch(request)).body?.getReader();
  await reader?.read();
  for (let second = 0; second < 300; second++) transfers.sweep();
  assertEquals(await reader?.read().then(() => "read", (error) => error.code), "request_timeout");
  assertEquals(transfers.count, 0);
});

Deno.test("GET /executions/{id}/file of a file that a task has written", async () => {
  await using app = await Harness.start();
  const { id } = await withFile(app, "a.txt", "x");
  const uri = String((await app.execution(id)).taskRunList[0]?.outputs.uri);
  const response = await app.request("GET", pathTo(id, "", uri));
  assertEquals([response.status, await response.text()], [200, "a,b"]);
  assertEquals(await app.json("GET", pathTo(id, "/metas", uri)), { size: 3 });
});

Deno.test("GET /executions/{id}/file of another execution leads there", async () => {
  await using app = await Harness.start();
  const [one, two] = [await withFile(app, "a.txt", "one"), await withFile(app, "a.txt", "two")];
  for (const what of ["", "/metas", "/preview"]) {
    const response = await app.request("GET", pathTo(one.id, what, two.uri, "&maxRows=3"));
    assertEquals(response.status, 301);
    const location = response.headers.get("location") ?? "";
    assertEquals(location, `/api/v1/main${pathTo(two.id, what, two.uri, "&maxRows=3")}`);
    const followed = await app.request("GET", location);
    assertEquals(followed.status, 200);
    await followed.body?.cancel();
  }
});

/** Addresses that are refused: `{id}` is an execution with a file, `{base}` its folder. */
const REFUSED: readonly (readonly [uri: string, status: number, message: string])[] = [
  ["", 400, '"path"'],
  ["kestra:///demo/_files/a.txt", 422, "Illegal argument: Invalid prefix path"],
  ["kestra:///etc/passwd", 422, "Illegal argument: Invalid prefix path"],
  ["kestra:///demo/files/executions/none/a.txt", 404, "Unable to find execution id 'none'"],
  [
    "kestra:///demo/a/files/executions/6m1WTPQx3XnzAaKqGj8l0c/inputs/f/a.txt",
    404,
    "execution id '6m1WTPQx3XnzAaKqGj8l0c'",
  ],
  ["kestra:///demo/_files/executions/none/a.txt", 422, "Illegal argument: Invalid prefix path"],
  ["kestra:///executions/none/a.txt", 422, "Illegal argument: Invalid prefix path"],
  ["file:///demo/files/executions/none/a.txt", 422, "Illegal argument: Invalid prefix path"],
  ["file:///etc/passwd", 422, "Illegal argument: Invalid prefix path"],
  ["/etc/passwd", 422, "Illegal argument: Invalid prefix path"],
  ["kestra:///demo/other/executions/{id}/inputs/f/a.txt", 422, "Illegal argument: Invalid prefix path"],
  ["kestra:///demo/files/executions/{id}/inputs/f/none.txt", 404, "Not Found"],
  ["kestra:///demo/files/executions/{id}/../x", 422, 'contains ".."'],
  ["kestra:///demo/files/executions/{id}/%2e%2e/x", 422, 'contains ".."'],
  [
    "kestra:///demo/files/executions/AVbcEv32000y2k4Z4ZfIlw/inputs/f/a.txt",
    404,
    "Unable to find execution id 'AVbcEv32000y2k4Z4ZfIlw'",
  ],
];

for (const [template, status, message] of REFUSED) {
  Deno.test(`GET /executions/{id}/file refuses "${template}" with ${status}`, async () => {
    await using app = await Harness.start();
    const { id } = await withFile(app, "a.txt", "x");
    const uri = template.replaceAll("{id}", id);
    for (const what of ["", "/metas", "/preview"]) {
      const response = await app.request("GET", pathTo(id, what, uri));
      assertEquals(response.status, status);
      assertStringIncludes(await response.text(), JSON.stringify(message).slice(1, -1));
    }
  });
}

Deno.test("GET /executions/{id}/file of an unknown execution and of another tenant is 404", async () => {
  await using app = await Harness.start();
  const { id, uri } = await withFile(app, "a.txt", "x");
  await app.json("POST", "/api/v1/tenants", json('{"id":"other","name":"Other"}'));
  for (
    const path of [
      pathTo("AVbcEv32000y2k4Z4ZfIlw", "", uri),
      pathTo("nothing", "", uri),
      `/api/v1/other${pathTo(id, "", uri)}`,
    ]
  ) {
    const response = await app.request("GET", path);
    await response.body?.cancel();
    assertEquals(response.status, 404, path);
  }
});

const ROWS = Array.from({ length: 150 }, (_, row) => `row ${row}`).join("\n");

/** Files and what their preview shows. */
const PREVIEWS: readonly (readonly [
  name: string,
  file: string,
  content: BlobPart,
  query: string,
  shown: JsonObject,
])[] = [
  ["a text", "a.txt", "äb\nc", "", {
    extension: "txt",
    type: "TEXT",
    content: "äb\nc",
    maxLine: 100,
    truncated: false,
  }],
  ["as many lines as are asked for", "a.csv", "1\n2\n3\n", "&maxRows=2", {
    extension: "csv",
    type: "TEXT",
    content: "1\n2",
    maxLine: 2,
    truncated: true,
  }],
  ["exactly all lines", "a.csv", "1\n2\n", "&maxRows=2", {
    extension: "csv",
    type: "TEXT",
    content: "1\n2",
    maxLine: 2,
    truncated: false,
  }],
  ["100 lines without a wish", "a.log", ROWS, "", {
    extension: "log",
    type: "TEXT",
    content: ROWS.split("\n").slice(0, 100).join("\n"),
    maxLine: 100,
    truncated: true,
  }],
  ["no line break after the last line", "a.txt", "a\n\nb\n", "", {
    extension: "txt",
    type: "TEXT",
    content: "a\n\nb",
    maxLine: 100,
    truncated: false,
  }],
  ["lines of other systems", "a.txt", "a\r\nb\rc\r\n", "&maxRows=3", {
    extension: "txt",
    type: "TEXT",
    content: "a\nb\nc",
    maxLine: 3,
    truncated: false,
  }],
  ["nothing of an empty line", "a.txt", "\n", "", {
    extension: "txt",
    type: "TEXT",
    content: "",
    maxLine: 100,
    truncated: false,
  }],
  ["another encoding", "a.txt", new Uint8Array([0xe4, 0x62]), "&encoding=ISO-8859-1", {
    extension: "txt",
    type: "TEXT",
    content: "äb",
    maxLine: 100,
    truncated: false,
  }],
  ["items", "a.ion", '{a:1}\n{"b":[2]}\n\nplain\n{broken\n', "", {
    extension: "ion",
    type: "LIST",
    content: [{ a: 1 }, { b: [2] }, "plain", "{broken"],
    maxLine: 100,
    truncated: false,
  }],
  ["markdown", "a.md", "# a", "", {
    extension: "md",
    type: "MARKDOWN",
    content: "# a",
    maxLine: 100,
    truncated: false,
  }],
  ["an image", "a.png", new Uint8Array([137, 80, 0, 255]), "", {
    extension: "png",
    type: "IMAGE",
    content: "iVAA/w==",
    maxLine: 100,
    truncated: false,
  }],
  ["a document", "a.pdf", "%PDF", "", {
    extension: "pdf",
    type: "PDF",
    content: "JVBERg==",
    maxLine: 100,
    truncated: false,
  }],
  ["a file without an ending", "README", "read me", "", {
    extension: "",
    type: "TEXT",
    content: "read me",
    maxLine: 100,
    truncated: false,
  }],
];

for (const [name, file, content, query, shown] of PREVIEWS) {
  Deno.test(`GET /executions/{id}/file/preview shows ${name}`, async () => {
    await using app = await Harness.start();
    const { id, uri } = await withFile(app, file, content);
    assertEquals(await app.json("GET", pathTo(id, "/preview", uri, query)), shown);
  });
}

/** Previews that are refused. */
const NO_PREVIEWS: readonly (readonly [file: string, size: number, query: string, message: string])[] = [
  ["a.txt", 1, "&encoding=no-such", "unable to preview using encoding 'no-such'"],
  ["a.txt", 1, "&maxRows=0", '\\"maxRows\\" must be a whole number from 1'],
  ["a.txt", 1, "&maxRows=x", '\\"maxRows\\" must be a whole number from 1'],
];

for (const [file, size, query, message] of NO_PREVIEWS) {
  Deno.test(`GET /executions/{id}/file/preview?${query.slice(1)} is 422`, async () => {
    await using app = await Harness.start();
    const { id, uri } = await withFile(app, file, new Uint8Array(size));
    const response = await app.request("GET", pathTo(id, "/preview", uri, query));
    assertEquals(response.status, 422);
    assertStringIncludes(await response.text(), message);
  });
}

Deno.test("GET /executions/{id}/file/preview of a text of many chunks reads its beginning only", async () => {
  await using app = await Harness.start();
  for (const [text, shown] of [["x", 2_097_152], ["€", 699_050]] as const) {
    const { id, uri } = await withFile(app, "a.txt", text.repeat(3_000_000));
    const { content, truncated } = await app.json("GET", pathTo(id, "/preview", uri)) as JsonObject;
    assertEquals([content === text.repeat(shown), truncated], [true, true]);
  }
});
