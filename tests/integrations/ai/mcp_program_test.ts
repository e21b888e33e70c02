/** MCP servers that are programs or containers, as tools of agents in a server. Shapes: modelcontextprotocol.io/specification. */
import { assertEquals, assertMatch } from "@std/assert";
import { type JsonObject, stringifyJson } from "../../../src/base/json.ts";
import { Harness, type HarnessOptions } from "../../support/harness.ts";
import { containersWith, podmanProblem, TEST_IMAGE } from "../../support/processes/containers.ts";
import { processesWith, until } from "../../support/processes/machine_processes.ts";
import { apiOf, bodiesOf, modelStub, providerOf, type Said } from "./model_stub.ts";

/** A server that greets, sends a notification before each response, and needs only a shell. */
const SERVER = `
echo ready
while read -r line; do
  id=\${line#*'"id":'}; id=\${id%%,*}
  say() { echo '{"jsonrpc":"2.0","method":"notifications/message","params":{}}'; echo "{\\"jsonrpc\\":\\"2.0\\",\\"id\\":$id,\\"result\\":$1}"; }
  case $line in
  *'"initialize"'*) say '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s"}}' ;;
  *'"tools/list"'*) say '{"tools":[{"name":"where","description":"d","inputSchema":{"type":"object"}}]}' ;;
  *'"tools/call"'*) echo called >&2; say "{\\"content\\":[{\\"type\\":\\"text\\",\\"text\\":\\"in $PLACE\\"}]}" ;;
  esac
done
`;

const OPENAI = apiOf("OpenAI");
const STDIO = "io.kestra.plugin.ai.tool.StdioMcpClient";

/** What an agent with one tool has done. */
interface Ended {
  readonly id: string;
  readonly state: string;
  readonly outputs: JsonObject;
  readonly lines: readonly string[];
}

async function save(app: Harness, tool: JsonObject, baseUrl: string): Promise<void> {
  const agent = {
    id: "a",
    type: "io.kestra.plugin.ai.agent.AIAgent",
    provider: providerOf(OPENAI, { baseUrl }),
    prompt: "hi",
    tools: [tool],
  };
  await app.save(stringifyJson({ id: "f", namespace: "demo", tasks: [agent] }));
}

async function endOf(app: Harness, id: string): Promise<Ended> {
  const execution = await app.execution(id);
  const logs = await app.json("GET", `/logs/${id}`) as { level: string; message: string }[];
  return {
    id,
    state: execution.state.current,
    outputs: (execution.taskRunList[0]?.outputs ?? {}) as JsonObject,
    lines: logs.map(({ level, message }) => `${level} ${message}`),
  };
}

const CALLS: readonly Said[] = [{ call: "where", given: {} }, { text: "done" }];

async function ran(tool: JsonObject, options: HarnessOptions = {}, said = CALLS) {
  await using stub = modelStub(OPENAI, said);
  await using app = await Harness.start(options);
  await save(app, tool, `${stub.url}/v1`);
  const { id } = await app.start("f", {}, "?wait=true");
  return { ...await endOf(app, String(id)), bodies: bodiesOf(stub) };
}

function shell(script: string, further: JsonObject = {}): JsonObject {
  return { type: STDIO, command: ["/bin/sh", "-c", script], ...further };
}

function resultsOf({ toolExecutions }: JsonObject): unknown {
  return (toolExecutions as JsonObject[])?.map(({ requestName, result }) => [requestName, result]);
}

Deno.test("StdioMcpClient gives an agent the tools of a program, which ends with it", async () => {
  const mark = `mcp-${crypto.randomUUID()}`;
  const tool = shell(`: ${mark}\n${SERVER}`, { env: { PLACE: "the shell" } });
  const { state, outputs, lines, bodies } = await ran(tool);
  assertEquals([state, outputs.textOutput, resultsOf(outputs)], ["SUCCESS", "done", [[
    "where",
    "in the shell",
  ]]]);
  assertEquals(OPENAI.tools(bodies[0] ?? {}), ["where"]);
  assertEquals(lines.filter((line) => line.endsWith(" called")), ["DEBUG called"]);
  assertEquals(processesWith(`: ${mark}\n${SERVER}`, "PLACE="), []);
});

/** Programs that are of no use, options of the server, and what the log says. */
const REFUSED: readonly (readonly [name: string, tool: JsonObject, options: HarnessOptions, line: RegExp])[] =
  [
    [
      "ends at once",
      shell("echo 'no token' >&2; exit 3"),
      {},
      /^ERROR Cannot use "\/bin\/sh": it ended with exit code 3: no token$/,
    ],
    [
      "is missing",
      { type: STDIO, command: ["no-such-mcp"] },
      {},
      /^ERROR Cannot run "no-such-mcp": this program is missing/,
    ],
    [
      "writes a line without end",
      shell("read -r line; head -c 1200000 /dev/zero | tr '\\0' x; echo"),
      {},
      /^ERROR Cannot use "\/bin\/sh": it wrote a line of 1200000 bytes$/,
    ],
    [
      "has an error as response",
      shell(
        `read -r line; echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unsupported version"}}'; read -r line`,
      ),
      {},
      /^ERROR Cannot start a session at "\/bin\/sh": Unsupported version$/,
    ],
    [
      "does not respond",
      shell("while read -r line; do :; done", { timeout: "PT0.2S" }),
      {},
      /no response within 200 ms$/,
    ],
    [
      "may not run, since scripts are switched off",
      shell(SERVER),
      { scripts: "off" },
      /^ERROR Cannot run commands: scripts are switched off/,
    ],
    [
      "would be a process where scripts are containers",
      shell(SERVER),
      { scripts: "container" },
      /^ERROR Cannot run "\/bin\/sh": it would be a process of this machine/,
    ],
  ];

for (const [name, tool, options, line] of REFUSED) {
  Deno.test(`an MCP server that ${name} fails the task`, async () => {
    const { state, lines } = await ran(tool, options);
    assertEquals(state, "FAILED");
    assertMatch(lines.filter((each) => each.startsWith("ERROR")).join("\n"), line);
  });
}

Deno.test("a kill of the execution ends the program of its agent", async () => {
  const started = Promise.withResolvers<void>(), over = Promise.withResolvers<void>();
  const mark = `: mcp-${crypto.randomUUID()}\n${SERVER}`;
  await using api = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async () => {
    started.resolve();
    await over.promise;
    return new Response("");
  });
  await using app = await Harness.start();
  await save(app, shell(mark, { env: { PLACE: "x" } }), `http://127.0.0.1:${api.addr.port}/v1`);
  const { id } = await app.start("f");
  await started.promise;
  assertEquals(processesWith(mark, "PLACE=").length, 1);
  await app.json("DELETE", `/executions/${id}/kill`);
  await until(() => processesWith(mark, "PLACE=").length === 0);
  await until(async () => (await app.execution(id)).state.current === "KILLED");
  over.resolve();
});

const problem = await podmanProblem();

Deno.test({
  name: "DockerMcpClient gives an agent the tools of a container, which is removed with it",
  ignore: problem !== undefined,
}, async () => {
  const type = "io.kestra.plugin.ai.tool.DockerMcpClient";
  const tool = {
    type,
    image: TEST_IMAGE,
    command: ["sh", "-c", SERVER],
    timeout: "PT10M",
    env: { PLACE: "a container" },
  };
  const { id, state, outputs, lines } = await ran(tool, { containerRuntime: "podman" });
  assertEquals([state, resultsOf(outputs), lines.filter((line) => line.startsWith("ERROR"))], [
    "SUCCESS",
    [["where", "in a container"]],
    [],
  ]);
  assertEquals(await containersWith(`sluice.execution=${id}`), []);
});

Deno.test("DockerMcpClient mounts folders of the machine only where the server allows it", async () => {
  const type = "io.kestra.plugin.ai.tool.DockerMcpClient";
  const tool = { type, image: TEST_IMAGE, binds: ["/etc:/host"] };
  const { state, lines } = await ran(tool, { containerRuntime: "podman" });
  assertEquals(state, "FAILED");
  assertMatch(lines.join("\n"), /start it with --container-allow volumes/);
});
