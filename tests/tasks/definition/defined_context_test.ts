/** What defined tasks reach through their context, in a server. */
import { assertEquals, assertMatch } from "@std/assert";
import { dynamicText } from "../../../src/model/flows/schema.ts";
import type { MachineTaskContext } from "../../../src/model/tasks/machine_task.ts";
import type { ServerTaskContext } from "../../../src/model/tasks/server_task.ts";
import { defineTask, type TaskContext } from "../../../src/model/tasks/task_definition.ts";
import { taskTypeOf } from "../../../src/tasks/definition/task_type.ts";
import { Harness, type HarnessOptions } from "../../support/harness.ts";
import { answer, type Behaviour, MisbehavingServer } from "../../support/servers/misbehaving_server.ts";

type Work = (context: TaskContext, url: string) => Promise<unknown>;

/** Runs a defined task before a server; returns what it gave as JSON, or the message of its error. */
async function tried(work: Work, behaviour: Behaviour, options: HarnessOptions = {}) {
  await using server = new MisbehavingServer(behaviour);
  const type = defineTask({
    type: "test.Work",
    description: "Does the work of a test.",
    properties: { url: dynamicText("Address of the server.") },
    async run(context) {
      const result = await work(context, String(context.properties.url)).catch((error: Error) =>
        error.message
      );
      return { result: JSON.stringify(result) };
    },
  });
  await using app = await Harness.start({ ...options, extraTasks: [taskTypeOf(type)] });
  await app.save(`{id: w, namespace: demo, tasks: [{id: t, type: test.Work, url: "${server.url}"}]}`);
  const { id } = await app.start("w", {}, "?wait=true");
  const { taskRunList } = await app.execution(id);
  return { result: JSON.parse(String(taskRunList[0]?.outputs.result)), requests: server.requests, server };
}

const TEXT = "ab".repeat(200_000);

async function fileOf(context: TaskContext, text = TEXT): Promise<string> {
  const path = `${await context.directory()}/data.txt`;
  await Deno.writeTextFile(path, text);
  return path;
}

Deno.test("TaskContext.http() sends bodyFile with its size, and again after a redirection that keeps the method", async () => {
  const { result, requests } = await tried(
    async (context, url) => {
      const { status } = await context.http({ url, method: "PUT", bodyFile: await fileOf(context) });
      return status;
    },
    ({ head }) => head.startsWith("PUT /next") ? answer(201, "") : answer(307, "", { location: "/next" }),
  );
  assertEquals([result, requests.length], [201, 2]);
  for (const { head, body } of requests) {
    assertEquals(body === TEXT, true);
    assertMatch(head, /\r\ncontent-length: 400000\r\n/i);
    assertMatch(head, /\r\ncontent-type: application\/octet-stream\r\n/i);
  }
});

const BODY_FILES = ["of the directory", "that the attempt has stored"] as const;

for (const place of BODY_FILES) {
  Deno.test(`TaskContext.http() sends parts of a file ${place}, also in repeated requests`, async () => {
    const { result, requests } = await tried(async (context, url) => {
      const path = await fileOf(context);
      const { bodyFile, size } = place === "of the directory"
        ? { bodyFile: path, size: TEXT.length }
        : await context.bodyOf(await context.storeFile(path));
      for (const offset of [0, 70_001, 399_999, 400_000]) {
        await context.http({ url, method: "PUT", bodyFile, bodyPart: { offset, length: 150_000 } });
      }
      return [size, bodyFile.startsWith("/")];
    }, ({ head }) => head.startsWith("PUT /next") ? answer(201, "") : answer(307, "", { location: "/next" }));
    assertEquals(result, [TEXT.length, place === "of the directory"]);
    const sent = [[0, 150_000], [70_001, 220_001], [399_999, 400_000], [400_000, 400_000]] as const;
    assertEquals(
      requests.map(({ body }) => body.length),
      sent.flatMap(([from, to]) => [to - from, to - from]),
    );
    assertEquals(requests.every(({ body }, at) => body === TEXT.slice(...sent[at >> 1] ?? [])), true);
  });
}

Deno.test("TaskContext.bodyOf() copies a namespace file, which may change between two requests", async () => {
  const { result, requests } = await tried(async (context, url) => {
    const files = (context as ServerTaskContext).namespaceFiles;
    const write = (text: string) => files.write("demo", "a.txt", new TextEncoder().encode(text));
    await write("first");
    const { bodyFile, size } = await context.bodyOf("kestra:///demo/_files/a.txt");
    await write("other");
    await context.http({ url, method: "PUT", bodyFile, bodyPart: { offset: 1, length: 3 } });
    return size;
  }, () => answer(201, ""));
  assertEquals([result, requests[0]?.body], [5, "irs"]);
});

Deno.test("TaskContext.bodyOf() and http() refuse a file that does not exist", async () => {
  const { result } = await tried(async (context, url) => {
    const { executionId } = context.attempt;
    const uri = `kestra:///demo/w/executions/${executionId}/none.txt`;
    const messages = [];
    for (const use of [() => context.bodyOf(uri), () => context.http({ url, bodyFile: uri })]) {
      messages.push(await use().then(() => "", (error: Error) => error.message.replace(executionId, "x")));
    }
    return messages;
  }, () => answer(200, ""));
  const refused = 'Cannot read "kestra:///demo/w/executions/x/none.txt": there is no such file';
  assertEquals(result, [refused, refused]);
});

Deno.test("TaskContext.http() writes a body of status 2xx into the file saveTo, also above maxBytes", async () => {
  const { result } = await tried(async (context, url) => {
    const response = await context.http({ url, saveTo: "folder/body.txt", maxBytes: 10 });
    const { path = "", size, bytes, text, status } = response;
    const saved = await Deno.readTextFile(path);
    const isWithin = path === `${await context.directory()}/folder/body.txt`;
    return [status, size, bytes.length, text, isWithin, saved === TEXT];
  }, () => answer(200, TEXT));
  assertEquals(result, [200, 400_000, 0, "", true, true]);
});

Deno.test("TaskContext.http() writes no more of a body into the file saveTo than a stored file may have", async () => {
  const { result } = await tried(
    async (context, url) => {
      const refused = await context.http({ url, saveTo: "body.txt" }).catch((error: Error) => error.message);
      const { size } = await Deno.stat(`${await context.directory()}/body.txt`);
      return [refused, size < TEXT.length];
    },
    () => answer(200, TEXT),
    { maxUploadBytes: 300_000 },
  );
  const message = "Cannot store the content: it is larger than 300000 bytes, the limit of --max-upload";
  assertEquals(result, [message, true]);
});

Deno.test("TaskContext.http() keeps the text of an error status, and creates no file", async () => {
  const { result } = await tried(async (context, url) => {
    const { status, text, path } = await context.http({ url, saveTo: "body.txt" });
    return [status, text, path ?? null, [...Deno.readDirSync(await context.directory())].length];
  }, () => answer(404, "no such object"));
  assertEquals(result, [404, "no such object", null, 0]);
});

Deno.test("TaskContext.http() returns a redirection with followRedirects: false", async () => {
  const { result, requests } = await tried(async (context, url) => {
    const { status, headers } = await context.http({ url, followRedirects: false });
    return [status, headers.location];
  }, () => answer(302, "", { location: "/elsewhere" }));
  assertEquals([result, requests.length], [[302, "/elsewhere"], 1]);
});

/** Requests that are refused, and the message. */
const REFUSED: readonly (readonly [request: Record<string, unknown>, message: RegExp])[] = [
  [{ bodyFile: "/etc/passwd" }, /^Cannot read "\/etc\/passwd": it is not in the directory of the attempt$/],
  [{ saveTo: "../escape.txt" }, /\.\./],
  [{ maxBytes: 3 }, /^Cannot GET to "HOST": the response is larger than 3 bytes$/],
];

for (const [request, message] of REFUSED) {
  Deno.test(`TaskContext.http() refuses ${JSON.stringify(request)}`, async () => {
    const { result, server } = await tried(
      (context, url) => context.http({ url, ...request }),
      () => answer(200, "body"),
    );
    assertMatch(String(result).replace(server.url.slice(7), "HOST"), message);
  });
}

Deno.test("TaskContext.connectAddress() gives the address that accepts connections", async () => {
  const { result, server } = await tried(async (context, url) => {
    const port = Number(new URL(url).port);
    return [await context.connectAddress("localhost", port), await context.connectAddress("127.0.0.1", port)];
  }, () => answer(200, ""));
  const expected = { hostname: "127.0.0.1", port: server.port };
  assertEquals(result, [expected, expected]);
});

Deno.test("Functions that a definition takes out of TaskContext work", async () => {
  const { result } = await tried(async (context, url) => {
    const { connectAddress, createFiles, directory, findFiles, http, log, metric } = context as
      & ServerTaskContext
      & MachineTaskContext;
    log("INFO", "a line");
    metric("rows", 1);
    await createFiles({ "a.txt": "text" });
    const { port } = await connectAddress("localhost", Number(new URL(url).port));
    const { status } = await http({ url, saveTo: "body.txt" });
    return [port > 0, status, await findFiles(["a.*"]), (await directory()).startsWith("/")];
  }, () => answer(200, "body"));
  assertEquals(result, [true, 200, ["a.txt"], true]);
});

Deno.test("TaskContext.connectAddress() refuses what the rules for addresses deny, and names the host", async () => {
  const { result, requests } = await tried(
    (context) => context.connectAddress("localhost", 5432),
    () => answer(200, ""),
    { httpAddresses: { deny: ["loopback"] } },
  );
  assertMatch(
    result,
    /^Cannot connect to "localhost:5432": the address "[^"]*" of "localhost" may not be reached/,
  );
  assertEquals(requests.length, 0);
});

Deno.test("ServerTaskContext reads no file of more bytes than are allowed", async () => {
  const { result } = await tried(async (context) => {
    const { namespaceFiles, readFile, directory } = context as ServerTaskContext;
    await namespaceFiles.write("demo", "a.txt", new Uint8Array(4));
    const path = `${await directory()}/large`;
    await Deno.writeFile(path, new Uint8Array());
    await Deno.truncate(path, 104_857_601);
    const results = await Promise.allSettled([
      namespaceFiles.read("demo", "a.txt", 4),
      namespaceFiles.read("demo", "a.txt", 3),
      readFile("large"),
    ]);
    return results.map((each) => each.status === "fulfilled" ? each.value?.length : each.reason.message);
  }, () => answer(200, ""));
  assertEquals(result, [
    4,
    'Cannot read "a.txt": it has 4 bytes, and at most 3 are allowed',
    'Cannot read "large": it has 104857601 bytes, and at most 104857600 are allowed',
  ]);
});
