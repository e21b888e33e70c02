import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { unzipSync } from "fflate";
import {
  type NamespaceTestServices,
  patternBytes,
  startNamespaceServices,
} from "../../../support/flows/namespace_services.ts";
import { buildZip } from "../../../support/zip_builder.ts";

const BASE = "/namespaces/company.team/files";

async function upload(
  { app }: NamespaceTestServices,
  path: string,
  content: BlobPart,
  fileName = "upload.bin",
): Promise<Response> {
  const body = new FormData();
  body.append("fileContent", new File([content], fileName));
  return await app.request(`${BASE}?path=${path}`, { method: "POST", body });
}

async function status({ app }: NamespaceTestServices, method: string, path: string): Promise<number> {
  const response = await app.request(BASE + path, { method });
  await response.body?.cancel();
  return response.status;
}

async function json({ app }: NamespaceTestServices, path: string) {
  const response = await app.request(BASE + path);
  return { status: response.status, body: await response.json() };
}

Deno.test("POST and GET /namespaces/:namespace/files store and give a file", async () => {
  const services = await startNamespaceServices();
  const answer = await upload(services, "/dir/hello.txt", "Hello, World!");
  assertEquals([answer.status, await answer.text()], [200, ""]);
  const response = await services.app.request(`${BASE}?path=dir/hello.txt`);
  assertEquals(await response.text(), "Hello, World!");
  assertEquals(
    Object.fromEntries(
      ["content-type", "content-length", "x-content-type-options", "content-disposition"].map(
        (name) => [name, response.headers.get(name)],
      ),
    ),
    {
      "content-type": "application/octet-stream",
      "content-length": "13",
      "x-content-type-options": "nosniff",
      "content-disposition": "attachment; filename=\"hello.txt\"; filename*=UTF-8''hello.txt",
    },
  );
  const time = services.clock.now();
  assertEquals(await json(services, "/directory?path=/dir"), {
    status: 200,
    body: [{
      type: "File",
      size: 13,
      revision: 1,
      fileName: "hello.txt",
      lastModifiedTime: time,
      creationTime: time,
    }],
  });
});

Deno.test("GET /namespaces/:namespace/files names any file in its header", async () => {
  const services = await startNamespaceServices();
  const name = "na\"me;'ü'(1).txt";
  await upload(services, encodeURIComponent(name), "x");
  const response = await services.app.request(`${BASE}?path=${encodeURIComponent(name)}`);
  await response.body?.cancel();
  assertEquals(
    response.headers.get("content-disposition"),
    "attachment; filename=\"na_me;'_'(1).txt\"; filename*=UTF-8''na%22me%3B%27%C3%BC%27%281%29.txt",
  );
});

Deno.test("POST and GET /namespaces/:namespace/files of 5 MB", async () => {
  const services = await startNamespaceServices();
  assertEquals((await upload(services, "big.bin", patternBytes(5_000_000))).status, 200);
  const response = await services.app.request(`${BASE}?path=big.bin`);
  assertEquals(await response.bytes(), patternBytes(5_000_000));
});

Deno.test("HEAD /namespaces/:namespace/files holds nothing open", async () => {
  const services = await startNamespaceServices();
  await upload(services, "big.bin", patternBytes(500_000));
  const response = await services.app.request(`${BASE}?path=big.bin`, { method: "HEAD" });
  assertEquals([response.status, response.headers.get("content-length"), response.body], [
    200,
    "500000",
    null,
  ]);
  await services.app.request(`${BASE}/export`, { method: "HEAD" });
  assertEquals(await status(services, "DELETE", "?path=big.bin"), 200);
  assertEquals([services.inner.count(["main", "b"]), services.inner.count(["bi"])], [0, 0]);
});

const TRAVERSALS = [
  "..",
  "../x",
  "a/../../x",
  "%2e%2e/x",
  "%252e%252e/x",
  "..%2fx",
  "..%252fx",
  "..%5cx",
  "..%255cx",
  "a%00b",
  "C:%5Cx",
  "C:/x",
  "file:///etc/passwd",
  "%E2%80%A5/x",
  "%EF%BC%8E%EF%BC%8E/x",
  "%c0%ae%c0%ae/x",
  "x".repeat(2_000),
];

for (const path of TRAVERSALS) {
  Deno.test(`every operation of files refuses the path ${path.slice(0, 40)}`, async () => {
    const services = await startNamespaceServices();
    const answer = await upload(services, path, "x");
    const { message } = await answer.json();
    assertEquals(answer.status, 422);
    assertStringIncludes(message, "Illegal argument: path ");
    const statuses = [
      await status(services, "GET", `?path=${path}`),
      await status(services, "GET", `/directory?path=${path}`),
      await status(services, "GET", `/stats?path=${path}`),
      await status(services, "GET", `/revisions?path=${path}`),
      await status(services, "POST", `/directory?path=${path}`),
      await status(services, "PUT", `?from=${path}&to=a`),
      await status(services, "PUT", `?from=a&to=${path}`),
      await status(services, "DELETE", `?path=${path}`),
    ];
    assertEquals([...new Set(statuses)], [422], statuses.join());
    assertEquals(services.inner.count(["main"]), 0);
  });
}

Deno.test("GET /namespaces/:namespace/files returns 400 without a path and 404 for no file", async () => {
  const services = await startNamespaceServices();
  await upload(services, "a/b.txt", "x");
  assertEquals(await status(services, "GET", ""), 400);
  assertEquals(await status(services, "GET", "?path=/a/c.txt"), 404);
  assertEquals(await status(services, "GET", "?path=/a"), 422);
  assertEquals(await status(services, "GET", "?path=a/b.txt&revision=1"), 200);
  assertEquals(await status(services, "GET", "?path=a/b.txt&revision=2"), 404);
});

Deno.test("GET /namespaces/:namespace/files/directory, stats, search and revisions", async () => {
  const services = await startNamespaceServices();
  assertEquals(await json(services, "/directory"), { status: 200, body: [] });
  await upload(services, "dir/a.py", "12345");
  await upload(services, "dir/a.py", "123456");
  await upload(services, "top.txt", "1");
  const entries = (await json(services, "/directory?path=/")).body;
  assertEquals(entries.map((each: { type: string; fileName: string }) => `${each.type} ${each.fileName}`), [
    "Directory dir",
    "File top.txt",
  ]);
  assertEquals((await json(services, "/directory?path=/nope")).status, 404);
  assertEquals((await json(services, "/stats?path=dir/a.py")).body.size, 6);
  assertEquals((await json(services, "/stats")).body.fileName, "_files");
  assertEquals((await json(services, "/stats?path=/nope")).status, 404);
  assertEquals((await json(services, "/search?q=a.p")).body, ["/dir/a.py"]);
  const time = services.clock.now();
  assertEquals((await json(services, "/revisions?path=dir/a.py")).body, [
    { revision: 1, size: 5, lastModifiedTime: time },
    { revision: 2, size: 6, lastModifiedTime: time },
  ]);
});

Deno.test("POST directory, PUT and DELETE /namespaces/:namespace/files", async () => {
  const services = await startNamespaceServices();
  assertEquals(await status(services, "POST", "/directory?path=/a/b"), 200);
  assertEquals(await status(services, "POST", "/directory?path=/a/b"), 200);
  assertEquals(await status(services, "POST", "/directory?path=_flows"), 422);
  await upload(services, "x.txt", "x");
  assertEquals(await status(services, "PUT", "?from=/x.txt&to=/a/b/y.txt"), 200);
  assertEquals(await status(services, "PUT", "?from=/x.txt&to=/z.txt"), 404);
  assertEquals(await status(services, "PUT", "?from=/x.txt"), 400);
  assertEquals(await status(services, "DELETE", "?path=/a/b/y.txt"), 200);
  assertEquals(await status(services, "DELETE", "?path=/a/b/y.txt"), 200);
  assertEquals((await json(services, "/directory")).body, []);
});

Deno.test("POST of a zip unpacks it, GET export returns it", async () => {
  const services = await startNamespaceServices();
  const zip = buildZip([{ name: "a/b.txt", data: "b" }, { name: "_flows/f.yml", data: "id: f" }]);
  const body = new FormData();
  body.append("fileContent", new File([zip], "all.ZIP"));
  assertEquals((await services.app.request(BASE, { method: "POST", body })).status, 200);
  const response = await services.app.request(`${BASE}/export`);
  assertStringIncludes(
    response.headers.get("content-disposition") ?? "",
    'filename="company.team_files.zip"',
  );
  assertEquals(Object.keys(unzipSync(await response.bytes())), ["a/", "a/b.txt"]);
  assertEquals(services.imported, ["main/company.team: id: f"]);
  const slip = await upload(services, "x", buildZip([{ name: "../x", data: "x" }]), "slip.zip");
  assertEquals(slip.status, 422);
  await slip.body?.cancel();
});

Deno.test("POST of a flow file imports the flow, other paths among the flows are forbidden", async () => {
  const services = await startNamespaceServices();
  assertEquals((await upload(services, "/_flows/f.yml", "id: f")).status, 200);
  assertEquals(services.imported, ["main/company.team: id: f"]);
  const answer = await upload(services, "/_flows/f.txt", "x");
  assertEquals(answer.status, 422);
  assertStringIncludes((await answer.json()).message, "Forbidden path: ");
});

for (
  const [method, path] of [
    ["GET", "?path=/_flows/f.yml"],
    ["GET", "/stats?path=/_flows/f.yml"],
    ["GET", "/directory?path=/_flows"],
    ["PUT", "?from=/_flows/f&to=/a"],
    ["PUT", "?from=/a&to=/_flows/f"],
    ["DELETE", "?path=/_flows/f.txt"],
  ] as const
) {
  Deno.test(`${method} /namespaces/:namespace/files${path} is forbidden`, async () => {
    const services = await startNamespaceServices();
    const answer = await services.app.request(BASE + path, { method });
    assertEquals(answer.status, 422);
    assertMatch((await answer.json()).message, /^Illegal argument: Forbidden path: /);
  });
}

Deno.test("POST /namespaces/:namespace/files refuses other bodies", async () => {
  const services = await startNamespaceServices({ maxUploadBytes: 100_000 });
  const form = (...names: string[]) => {
    const body = new FormData();
    for (const name of names) body.append(name, new File(["x"], "x"));
    return body;
  };
  const rows: readonly (readonly [string, BodyInit, string | undefined, number])[] = [
    ["?path=a", form("other"), undefined, 400],
    ["?path=a", form("x", "y"), undefined, 400],
    ["", form("fileContent"), undefined, 400],
    ["?path=a", "--x--", "multipart/form-data; boundary=x", 400],
    ["?path=a", '{"files":[{"filepath":"/etc/passwd"}]}', "application/json", 415],
    ["?path=a", "x", "application/octet-stream", 415],
    ["?path=a", "x", "multipart/form-data", 422],
  ];
  for (const [query, body, type, expected] of rows) {
    const headers: HeadersInit = type === undefined ? {} : { "content-type": type };
    const response = await services.app.request(BASE + query, { method: "POST", body, headers });
    await response.body?.cancel();
    assertEquals(response.status, expected, `${query} ${type}`);
  }
  assertEquals((await upload(services, "a", patternBytes(100_001))).status, 413);
  assertEquals((await upload(services, "a", patternBytes(1_000_000))).status, 413);
  assertEquals(services.inner.count(["bi"]), 0);
});

Deno.test("a file part without a file name, and stray parts around it, are no problem", async () => {
  const services = await startNamespaceServices();
  const body = '--x\r\nContent-Disposition: form-data; name="0"\r\n\r\n{}\r\n' +
    '--x\r\nContent-Disposition: form-data; name="fileContent"\r\n\r\ntext\r\n--x--';
  const headers = { "content-type": "multipart/form-data; boundary=x" };
  assertEquals(
    (await services.app.request(`${BASE}?path=a.txt`, { method: "POST", body, headers })).status,
    200,
  );
  assertEquals(await (await services.app.request(`${BASE}?path=a.txt`)).text(), "text");
});

Deno.test("a namespace that cannot be is refused by its name", async () => {
  const { app } = await startNamespaceServices();
  for (
    const path of ["/files?path=a", "/files/directory", "/files/search?q=a", "/files/export", "/files/stats"]
  ) {
    const response = await app.request(`/namespaces/Not%20One${path}`);
    assertEquals(response.status, 422, path);
    assertStringIncludes((await response.json()).message, 'namespace "Not One"');
  }
});

Deno.test("GET /namespaces/:namespace/files reads a revision, POST revisions/restore makes it the latest", async () => {
  const services = await startNamespaceServices();
  await upload(services, "a.txt", "one");
  await upload(services, "a.txt", "three");
  const read = async (query: string) => {
    const response = await services.app.request(`${BASE}?path=a.txt${query}`);
    return [response.headers.get("etag"), response.headers.get("content-length"), await response.text()];
  };
  assertEquals(await read("&revision=1"), ['"1"', "3", "one"]);
  assertEquals(await read(""), ['"2"', "5", "three"]);
  assertEquals(await status(services, "POST", "/revisions/restore?path=a.txt&revision=1"), 200);
  assertEquals(await read(""), ['"3"', "3", "one"]);
  const refused = [
    ["POST", "/revisions/restore?path=a.txt&revision=9", 404],
    ["POST", "/revisions/restore?path=b.txt&revision=1", 404],
    ["POST", "/revisions/restore?path=a.txt&revision=x", 400],
    ["POST", "/revisions/restore?path=a.txt", 400],
    ["POST", "/revisions/restore?revision=1", 400],
    ["POST", "/revisions/restore?path=../a&revision=1", 422],
    ["GET", "?path=a.txt&revision=9", 404],
    ["GET", "?path=a.txt&revision=x", 400],
    ["GET", "/revisions?path=b.txt", 404],
  ] as const;
  for (const [method, path, expected] of refused) {
    assertEquals(await status(services, method, path), expected, path);
  }
});

Deno.test("POST /namespaces/:namespace/files with If-Match or If-None-Match does not overwrite a change", async () => {
  const services = await startNamespaceServices();
  const save = async (content: string, headers: HeadersInit) => {
    const body = new FormData();
    body.append("fileContent", new File([content], "a"));
    const response = await services.app.request(`${BASE}?path=a.txt`, { method: "POST", body, headers });
    const text = await response.text();
    return response.ok ? 200 : `${response.status} ${JSON.parse(text).message}`;
  };
  assertEquals(
    await save("x", { "if-match": '"1"' }),
    '412 Cannot save file "a.txt": revision 1 was expected, but it does not exist',
  );
  assertEquals(await save("one", { "if-none-match": "*" }), 200);
  assertEquals(
    await save("x", { "if-none-match": "*" }),
    '412 Cannot save file "a.txt": no such file was expected, but the latest is 1',
  );
  assertEquals(await save("two", { "if-match": 'W/"1"' }), 200);
  assertEquals(
    await save("x", { "if-match": '"1"' }),
    '412 Cannot save file "a.txt": revision 1 was expected, but the latest is 2',
  );
  assertEquals(await save("three", { "if-match": "*" }), 200);
  assertEquals(await (await services.app.request(`${BASE}?path=a.txt`)).text(), "three");
});
