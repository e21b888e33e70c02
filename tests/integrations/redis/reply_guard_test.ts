/** Replies of a server that is broken or hostile. */
import { Buffer } from "node:buffer";
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { ReplyGuard } from "../../../src/integrations/redis/reply_guard.ts";
import { REDIS_TASKS } from "../../../src/integrations/redis/registry.ts";
import type { TaskDefinition } from "../../../src/model/tasks/task_definition.ts";
import { runDefinition } from "../../support/flows/definition_run.ts";

const TAKEN: readonly string[] = [
  "+OK\r\n-ERR no\r\n:-1\r\n:+12\r\n$-1\r\n*-1\r\n*0\r\n$0\r\n\r\n$3\r\na\r\n\r\n",
  "*2\r\n*1\r\n$1\r\n*\r\n*2\r\n_\r\n#t\r\n",
  "%1\r\n+a\r\n,1.5e-3\r\n~1\r\n(123456789012345678901\r\n>2\r\n+message\r\n,-inf\r\n=5\r\ntxt:a\r\n!3\r\nERR\r\n",
  `*${1_000_000}\r\n${":1\r\n".repeat(1_000_000)}*1\r\n:1\r\n`,
];

for (const replies of TAKEN) {
  Deno.test(`ReplyGuard takes ${JSON.stringify(replies.slice(0, 60))}, in chunks of any size`, () => {
    for (const size of [1, 7, replies.length]) {
      const guard = new ReplyGuard();
      const bytes = Buffer.from(replies.slice(0, size * 100_000));
      for (let at = 0; at < bytes.length; at += size) guard.check(bytes.subarray(at, at + size));
    }
  });
}

const REFUSED: readonly (readonly [replies: string, message: string])[] = [
  ["*1000001\r\n", "more than 1000000 elements"],
  ["*600000\r\n*600000\r\n", "more than 1000000 elements"],
  ["%500001\r\n", "more than 1000000 elements"],
  ["*1\r\n".repeat(101), "more than 100 levels"],
  ["$67108865\r\n", "more than 67108864 bytes"],
  [`+${"a".repeat(65_536)}`, "a line of more than 65536 bytes"],
  ["*-2\r\n", "malformed"],
  ["*12345678901\r\n", "malformed"],
  ["$x\r\n", "malformed"],
  ["$1\r\nab\r\n", "malformed"],
  ["=3\r\nabc\r\n", "malformed"],
  ["#txx*30000000\r\n", "malformed"],
  ["_xx*30000000\r\n", "malformed"],
  [":1\rx*30000000\r\n", "malformed"],
  [",infxx*30000000\r\n", "malformed"],
  ["+a\n", "malformed"],
  ["HTTP/1.1 400\r\n", "malformed"],
];

for (const [replies, message] of REFUSED) {
  Deno.test(`ReplyGuard refuses ${JSON.stringify(replies.slice(0, 40))}`, () => {
    assertThrows(() => new ReplyGuard().check(Buffer.from(replies)), Error, message);
  });
}

/** Runs a task, whose server replies to each command. */
async function runAt(name: string, properties: object, reply: (command: string) => string) {
  using server = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serve = async () => {
    using connection = await server.accept();
    let rest = "";
    for await (const chunk of connection.readable.pipeThrough(new TextDecoderStream())) {
      rest += chunk;
      let replies = "";
      for (const [whole, command = ""] of rest.matchAll(/\*\d+\r\n\$\d+\r\n(\w+)\r\n/g)) {
        replies += reply(command.toUpperCase());
        rest = rest.slice(rest.indexOf(whole) + whole.length);
      }
      await connection.write(new TextEncoder().encode(replies));
    }
  };
  const served = serve().catch(() => {});
  const definition = REDIS_TASKS.find(({ type }) => type === `redis.${name}`) as TaskDefinition;
  const url = `redis://127.0.0.1:${server.addr.port}`;
  try {
    return await runDefinition(definition, { url, key: "k", ...properties });
  } finally {
    await served;
  }
}

const HOSTILE: readonly (readonly [what: string, reply: string, message: string])[] = [
  ["arrays that nothing follows", "*30000000\r\n".repeat(8), "more than 1000000 elements"],
  ["a push without a channel", ">1\r\n+subscribe\r\n", "Cannot run GET"],
  ["more replies than commands", "+a\r\n$-1\r\n$-1\r\n", ""],
  ["no reply of Redis", "HTTP/1.1 400 Bad Request\r\n", "malformed"],
];

for (const [what, reply, message] of HOSTILE) {
  Deno.test(`a task of redis ends for ${what}`, async () => {
    const run = () => runAt("string.Get", {}, (command) => command === "GET" ? reply : "+OK\r\n");
    if (message === "") await run();
    else await assertRejects(run, Error, message);
  });
}

Deno.test("redis.list.ListPop gives values back in groups, until there are none", async () => {
  let moves = 0;
  const replies: Readonly<Record<string, () => string>> = {
    LRANGE: () => "-ERR no\r\n",
    LLEN: () => ":1000000\r\n",
    LMOVE: () => ++moves > 1_500 ? "$-1\r\n" : "$1\r\na\r\n",
  };
  await assertRejects(
    () => runAt("list.ListPop", { maxRecords: 1 }, (command) => replies[command]?.() ?? "+OK\r\n"),
    Error,
    "ERR no",
  );
  assertEquals(moves, 2_000);
});
