import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import type { ListOptions, Selector, StoredEntry } from "../../../../src/store/store.ts";
import { settle } from "../../../support/fakes/fake_clock.ts";
import { FaultyStore } from "../../../support/fakes/faulty_store.ts";
import { type Effect, type ExecutionResponse, Harness } from "../../../support/harness.ts";

const FLOW = `id: filed
namespace: demo.sub
tasks:
  - id: Say_It
    type: io.svc.plugin.core.log.Log
    logToFile: true
    message: [one, two]
  - id: other
    type: io.svc.plugin.core.log.Log
    message: three
  - id: twice
    type: io.svc.plugin.harness.Effect
    logToFile: true
    retry:
      type: constant
      maxAttempts: 2
      interval: PT1S
`;

type Attempts = readonly { readonly logFile?: string }[];

async function runTwice(): Promise<{ server: Harness; execution: ExecutionResponse }> {
  const server = await Harness.start({
    effect: (_properties, context) => {
      context.log("WARN", `try ${context.attemptNumber}`);
      return { state: context.attemptNumber === 1 ? "FAILED" : "SUCCESS", outputs: {} };
    },
  });
  await server.save(FLOW);
  const { id } = await server.json("POST", "/executions/demo.sub/filed") as { id: string };
  await server.advance(2_000);
  return { server, execution: await server.execution(id) };
}

function logFileOf(execution: ExecutionResponse, taskRun: number, attempt = 0): string {
  const attempts = execution.taskRunList[taskRun]?.attempts as Attempts;
  return attempts[attempt]?.logFile ?? "";
}

async function textOf(server: Harness, { id }: ExecutionResponse, uri: string): Promise<string | undefined> {
  const path = uri.slice(uri.indexOf(id) + id.length + 1);
  const file = await server.assembly.services.executionFiles.find("main", id, path);
  const text = file && await new Response(file.open()).text();
  assertEquals(text?.length, file?.size);
  return text;
}

Deno.test("logToFile shows the log of each attempt as a file of the execution", async () => {
  const { server, execution } = await runTwice();
  await using _ = server;
  const { id } = execution;
  const start = `^kestra:///demo/sub/filed/executions/${id}/tasks/`;
  assertMatch(logFileOf(execution, 0), new RegExp(`${start}say-it/\\w+/attempt-1.log$`));
  assertEquals(logFileOf(execution, 1), "");
  assertMatch(logFileOf(execution, 2, 1), /attempt-2.log$/);
  const cases = [[0, 0, /^\S+Z INFO {2}one\n\S+Z INFO {2}two\n$/], [2, 0, /^\S+Z WARN {2}try 1\n/]] as const;
  for (const [taskRun, attempt, expected] of cases) {
    assertMatch(await textOf(server, execution, logFileOf(execution, taskRun, attempt)) ?? "", expected);
  }
  assertMatch(await textOf(server, execution, logFileOf(execution, 2, 1)) ?? "", /^\S+Z WARN {2}try 2\n$/);
});

Deno.test("logToFile survives a restart of the server, and its files hold what is left of the log", async () => {
  const { server, execution } = await runTwice();
  await using next = await server.crash();
  const again = await next.execution(execution.id);
  assertEquals(again.taskRunList, execution.taskRunList);
  await next.json("DELETE", `/logs/${execution.id}?taskId=twice`);
  assertEquals(await textOf(next, again, logFileOf(again, 2)), "");
  assertMatch(await textOf(next, again, logFileOf(again, 0)) ?? "", /one/);
});

Deno.test("logToFile has no file where there is no such attempt", async () => {
  const { server, execution } = await runTwice();
  await using _ = server;
  const uri = logFileOf(execution, 0);
  const wrong = [
    uri.replace("attempt-1", "attempt-2"),
    uri.replace("attempt-1", "attempt-0"),
    uri.replace("attempt-1.log", "other.log"),
    uri.replace(/say-it\/\w+/, "say-it/unknown"),
    `${execution.id}/tasks/other/${execution.taskRunList[1]?.id}/attempt-1.log`,
  ];
  for (const each of wrong) assertEquals(await textOf(server, execution, each), undefined);
});

Deno.test("logToFile of a replayed execution is of its own attempts", async () => {
  const { server, execution } = await runTwice();
  await using _ = server;
  const { id } = execution;
  const taskRunId = execution.taskRunList[2]?.id;
  const replay = await server.json("POST", `/executions/${id}/replay?taskRunId=${taskRunId}`) as {
    id: string;
  };
  await server.advance(2_000);
  await settle();
  const replayed = await server.execution(replay.id);
  assertEquals(logFileOf(replayed, 0), "");
  assertMatch(logFileOf(replayed, 2, (replayed.taskRunList[2]?.attempts?.length ?? 1) - 1), /attempt/);
});

const CHATTY = `id: chatty
namespace: demo
tasks:
  - id: talk
    type: io.svc.plugin.harness.Effect
    logToFile: true
`;

/** Counts the lists of parts of large values. */
class CountingStore extends FaultyStore {
  valueReads = 0;

  override list(selector: Selector, options?: ListOptions): AsyncIterable<StoredEntry> {
    if (("prefix" in selector ? selector.prefix : selector.start)[1] === "b") this.valueReads++;
    return super.list(selector, options);
  }
}

Deno.test("logToFile streams the log of an attempt, and ranges of it, without its outputs", async () => {
  const effect: Effect = (_properties, context) => {
    for (let i = 0; i < 100; i++) context.log("INFO", `${i} ${"é".repeat(2_000)}`);
    return { state: "SUCCESS", outputs: { large: "x".repeat(100_000) } };
  };
  let store: CountingStore | undefined;
  const before = await Harness.start({ effect });
  const execution = await before.run(CHATTY);
  await using server = await before.crash({ wrap: (memory) => store = new CountingStore(memory) });
  const uri = logFileOf(execution, 0);
  const path = uri.slice(uri.indexOf(execution.id) + execution.id.length + 1);
  const file = await server.assembly.services.executionFiles.find("main", execution.id, path);
  const pieces = await Array.fromAsync(file?.open() ?? []);
  const whole = new Uint8Array(await new Blob(pieces as Uint8Array<ArrayBuffer>[]).arrayBuffer());
  assertEquals(whole.length, file?.size);
  assertEquals(pieces.length > 4 && pieces.every(({ length }) => length <= 64 * 1024), true, "in pieces");
  for (
    const [offset, length] of [[0, 1], [whole.length - 1, 1], [50_000, 200_000], [0, 0], [
      whole.length,
      5,
    ]] as const
  ) {
    const part = new Uint8Array(await new Response(file?.open({ offset, length })).arrayBuffer());
    assertEquals(part, whole.slice(offset, offset + length), `${length} bytes from ${offset}`);
  }
  assertEquals(store?.valueReads, 0, "no large value is read");
});

Deno.test("logToFile fails the download of a log whose lines are deleted meanwhile", async () => {
  const effect: Effect = (_properties, context) => {
    for (let i = 0; i < 100; i++) context.log("INFO", "x".repeat(2_000));
    return { state: "SUCCESS", outputs: {} };
  };
  await using server = await Harness.start({ effect });
  const execution = await server.run(CHATTY);
  const uri = logFileOf(execution, 0);
  const path = uri.slice(uri.indexOf(execution.id) + execution.id.length + 1);
  const file = await server.assembly.services.executionFiles.find("main", execution.id, path);
  await server.json("DELETE", `/logs/${execution.id}`);
  await assertRejects(() => new Response(file?.open()).text(), Error, "were deleted meanwhile");
});
