/**
 * The quick start of README.md, block by block, against the real server. A shown response must be a part of the actual
 * one; the actual one must be the full response in {@link FULL_RESPONSES}, member for member and in the same order.
 */
import { assert, assertEquals, assertGreater, AssertionError, assertThrows } from "@std/assert";
import { ServerProcess } from "../support/processes/server_process.ts";
import { withTempDir } from "../support/temp_dir.ts";

/** The address that README.md shows. */
const SHOWN_URL = "http://127.0.0.1:8080";
/** Marks members or items that README.md leaves out. It is the last one of its object or list. */
const OMITTED = "…";
const ID_PATTERN = /\bA[0-9A-Za-z]{21}\b/g;

const DATE = "<date>";
const ID = "<id>";
const SECONDS = "<seconds>";
const TIME = "<time>";

const INPUT = { id: "name", type: "STRING", defaults: "World" };
const GREET = { id: "greet", type: "io.svc.plugin.core.debug.Return", format: "Hello {{ inputs.name }}" };
const SAY = {
  id: "say",
  type: "io.svc.plugin.core.log.Log",
  message: "{{ outputs.greet.value }}, this is {{ flow.id }}",
};
const HOOK = { id: "hook", type: "io.svc.plugin.core.trigger.Webhook", key: "hello-key-5f0c92d7" };

const CREATED = stateAfter("CREATED");
const SUCCESS = stateAfter("CREATED", "RUNNING", "SUCCESS");
const FLOW_KEY = { namespace: "demo", flowId: "hello" };
const EXECUTION = { id: ID, tenantId: "main", ...FLOW_KEY, flowRevision: 1 };
const LABELS = [{ key: "system.correlationId", value: ID }];
const ORIGIN = { attemptNumber: 1, originalCreatedDate: DATE };
const URL_OF_EXECUTION = `${SHOWN_URL}/ui/executions/demo/hello/${ID}`;

const CREATED_EXECUTION = {
  ...EXECUTION,
  inputs: { name: "Ann" },
  labels: LABELS,
  state: CREATED,
  originalId: ID,
  deleted: false,
  metadata: ORIGIN,
  scheduleDate: DATE,
  url: URL_OF_EXECUTION,
};
const ENDED_EXECUTION = {
  ...EXECUTION,
  taskRunList: [taskRun("greet", { value: "Hello Ann" }), taskRun("say", {})],
  inputs: { name: "Ann" },
  labels: LABELS,
  state: SUCCESS,
  originalId: ID,
  deleted: false,
  metadata: ORIGIN,
  scheduleDate: DATE,
};

/** What each block of the quick start prints; a text that is no JSON as it is. */
const FULL_RESPONSES: readonly unknown[] = [
  {
    id: "hello",
    namespace: "demo",
    revision: 1,
    inputs: [INPUT],
    tasks: [GREET, SAY],
    triggers: [HOOK],
    disabled: false,
    deleted: false,
    draft: false,
    source: await readFlowSource(),
  },
  { ...ENDED_EXECUTION, url: URL_OF_EXECUTION },
  [{
    ...FLOW_KEY,
    executionId: ID,
    taskId: "say",
    taskRunId: ID,
    attemptNumber: 0,
    timestamp: DATE,
    level: "INFO",
    thread: "main",
    message: "Hello Ann, this is hello",
  }],
  ENDED_EXECUTION,
  {
    ...EXECUTION,
    inputs: { name: "World" },
    labels: LABELS,
    state: CREATED,
    originalId: ID,
    trigger: {
      id: "hook",
      type: HOOK.type,
      variables: {
        headers: { "accept": ["*/*"], "host": [new URL(SHOWN_URL).host], "user-agent": ["<curl>"] },
        parameters: { who: ["Bob"] },
      },
    },
    deleted: false,
    metadata: ORIGIN,
    scheduleDate: DATE,
    url: URL_OF_EXECUTION,
  },
  { type: "STRING", value: "blue", revision: 1, updated: DATE },
  "Hello, file",
  [{
    type: "File",
    size: 11,
    revision: 1,
    fileName: "hello.txt",
    lastModifiedTime: TIME,
    creationTime: TIME,
  }],
];

/** An execution, a task run or an attempt that went through these states. */
function stateAfter(...states: readonly string[]): Record<string, unknown> {
  const current = states.at(-1);
  return {
    current,
    histories: states.map((state) => ({ state, date: DATE })),
    duration: SECONDS,
    startDate: DATE,
    ...(current === "SUCCESS" && { endDate: DATE }),
  };
}

function taskRun(taskId: string, outputs: Record<string, string>): Record<string, unknown> {
  const attempts = [{ state: SUCCESS }];
  return {
    id: ID,
    tenantId: "main",
    executionId: ID,
    ...FLOW_KEY,
    taskId,
    attempts,
    outputs,
    state: SUCCESS,
  };
}

/** The flow that the first block writes to a file. */
async function readFlowSource(): Promise<string> {
  return /<<'YAML'\n(.*?)^YAML$/ms.exec(await Deno.readTextFile("README.md"))?.[1] ?? "";
}

/** Commands, and the response that is shown below them. */
interface Step {
  readonly commands: string;
  readonly shown: string;
}

/** The document in two parts: the quick start, and everything else. */
function splitDocument(document: string): { quickStart: string; rest: string } {
  const [before = "", quickStart = "", ...after] = document.split(/^## Quick start\n(.*?)(?=^## )/ms);
  return { quickStart, rest: [before, ...after].join("") };
}

function readSteps(quickStart: string): Step[] {
  const blocks = [...quickStart.matchAll(/^```(\w+)\n(.*?)^```$/gms)];
  assertEquals(
    blocks.map(([, language]) => language),
    blocks.map((_, index) => index % 2 === 0 ? "sh" : "text"),
    "each block of commands is followed by its response",
  );
  const texts = blocks.map(([, , text = ""]) => text);
  return texts.flatMap((text, index) =>
    index % 2 === 0 ? [{ commands: text, shown: texts[index + 1] ?? "" }] : []
  );
}

/** Text without what differs from run to run: ids, dates, times, durations, and the version of curl. */
function normalize(text: string): string {
  return text
    .replace(ID_PATTERN, ID)
    .replace(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, DATE)
    .replace(/(?<=:)\d{13}\b/g, `"${TIME}"`)
    .replace(/(?<="duration":)[\d.e-]+/g, `"${SECONDS}"`)
    .replace(/curl\/[\d.\w-]+/g, "<curl>");
}

/** A shown response as JSON, {@link OMITTED} as a last member or item. */
function parseShown(text: string): unknown {
  return JSON.parse(
    text.replace(/…(?=\s*\})/g, `"${OMITTED}": true`).replace(/…(?=\s*\])/g, `"${OMITTED}"`),
  );
}

/** Compares shown responses with actual ones, and finds the ids of this run for those that are shown. */
class ShownResponses {
  readonly #ids = new Map<string, string>();

  /** The commands with the ids of this run. */
  withIds(commands: string): string {
    return commands.replace(ID_PATTERN, (id) => this.#ids.get(id) ?? id);
  }

  /** Every member and item of `shown` is in `actual`; nothing else is there unless {@link OMITTED} says so. */
  assertPart(shown: unknown, actual: unknown, path = "$"): void {
    if (typeof shown === "string") return this.#assertText(shown, actual, path);
    if (typeof shown !== "object" || shown === null) return assertEquals(actual, shown, path);
    assert(typeof actual === "object" && actual !== null, `${path} is no object`);
    assertEquals(Array.isArray(actual), Array.isArray(shown), path);
    const isPartial = Array.isArray(shown) ? shown.at(-1) === OMITTED : OMITTED in shown;
    const members = Object.entries(shown).filter(([name, value]) => name !== OMITTED && value !== OMITTED);
    if (!isPartial) assertEquals(Object.keys(actual).sort(), Object.keys(shown).sort(), path);
    for (const [name, value] of members) {
      assert(Object.hasOwn(actual, name), `${path}.${name} is shown, but not in the response`);
      this.assertPart(value, Reflect.get(actual, name), `${path}.${name}`);
    }
  }

  #assertText(shown: string, actual: unknown, path: string): void {
    assert(typeof actual === "string", `${path} is no text`);
    assertEquals(normalize(actual), normalize(shown), path);
    const actualIds = actual.match(ID_PATTERN) ?? [];
    for (const [index, id] of (shown.match(ID_PATTERN) ?? []).entries()) {
      const known = this.#ids.get(id) ?? actualIds[index] ?? "";
      assertEquals(actualIds[index], known, `${path} has another id than before`);
      this.#ids.set(id, known);
    }
  }
}

async function shell(commands: string, cwd: string): Promise<string> {
  const { stdout } = await new Deno.Command("sh", { args: ["-euc", commands], cwd, stderr: "null" }).output();
  return new TextDecoder().decode(stdout);
}

/** Runs commands as a reader would, but against `server`; what they print, with the address that README.md shows. */
async function run(commands: string, server: ServerProcess, cwd: string): Promise<string> {
  const printed = await shell(
    commands.replace(/^curl /gm, "curl -s ").replaceAll(SHOWN_URL, server.url),
    cwd,
  );
  return printed.replaceAll(server.url, SHOWN_URL)
    .replaceAll(new URL(server.url).host, new URL(SHOWN_URL).host);
}

function textOf(response: unknown): string {
  return typeof response === "string" ? response : JSON.stringify(response);
}

const hasCurl = (await shell("command -v curl || true", ".")) !== "";

Deno.test({
  name: "README.md shows a part of what its commands print",
  ignore: !hasCurl,
  async fn() {
    const steps = readSteps(splitDocument(await Deno.readTextFile("README.md")).quickStart);
    assertEquals(steps.length, FULL_RESPONSES.length);
    await withTempDir(async (root) => {
      await using server = await ServerProcess.start({ dataDir: `${root}/data` });
      const responses = new ShownResponses();
      for (const [index, { commands, shown }] of steps.entries()) {
        assert(commands.includes(`${SHOWN_URL}/`), `"${commands}" does not call the server`);
        const actual = await run(responses.withIds(commands), server, root);
        const full = FULL_RESPONSES[index];
        assertEquals(normalize(actual), textOf(full), commands);
        if (typeof full === "string") assertEquals(shown.trimEnd(), actual, commands);
        else responses.assertPart(parseShown(shown), JSON.parse(actual));
      }
      const start = `curl -F name=Ann ${SHOWN_URL}/api/v1/main/executions/demo/hello`;
      assertEquals(normalize(await run(start, server, root)), textOf(CREATED_EXECUTION), start);
    });
  },
});

const FULL = { id: "AVbgoMKo000hqyfl7bBf7l", list: [{ a: 1 }, { a: 2 }], date: "2026-11-22T08:40:26.262Z" };
for (
  const shown of [
    `{ "list": [{ "a": 1 }, …], … }`,
    `{ "list": [{ … }, { "a": 2 }], … }`,
    `{ "id": "AVbgoMKo000hqyfl7bBf7l", "date": "2026-01-01T00:00:00.000Z", "list": […] }`,
  ]
) {
  Deno.test(`assertPart() accepts ${shown}`, () => new ShownResponses().assertPart(parseShown(shown), FULL));
}

for (
  const shown of [
    `{ "id": "AVbgoMKo000hqyfl7bBf7l" }`,
    `{ "list": [{ "a": 1 }], … }`,
    `{ "list": [{ "a": 2 }, …], … }`,
    `{ "list": [{ "a": "1" }, …], … }`,
    `{ "list": { … }, … }`,
    `{ "name": "x", … }`,
    `{ "id": "hello", … }`,
  ]
) {
  Deno.test(`assertPart() refuses ${shown}`, () => {
    assertThrows(() => new ShownResponses().assertPart(parseShown(shown), FULL), AssertionError);
  });
}

Deno.test("assertPart() refuses two ids for one that is shown", () => {
  const responses = new ShownResponses();
  const [id, first, second] = ["AVbgoMKo000hqyfl7bBf7l", "AVbgoMNJ000ueSSsbR7ORO", "AVbgoTDM000NJ8GVPZ9u4z"];
  responses.assertPart([id, id], [first, first]);
  assertEquals(responses.withIds(`/${id}?`), `/${first}?`);
  assertThrows(() => responses.assertPart([id, id], [first, second]), AssertionError);
});

Deno.test("README.md gives the commands of deno.json for start and test, with the version that is tested", async () => {
  const document = await Deno.readTextFile("README.md");
  const version = /npx -y (deno@[\d.]+) task test/.exec(await Deno.readTextFile(".ci/run"))?.[1];
  for (const task of ["start", "test"]) {
    assert(document.includes(`\nnpx -y ${version} task ${task}\n`), `README.md lacks the line for "${task}"`);
  }
});

Deno.test("README.md has no commands outside its quick start but tasks and the binary", async () => {
  const { rest } = splitDocument(await Deno.readTextFile("README.md"));
  const lines = [...rest.matchAll(/^```\w*\n(.*?)^```$/gms)].flatMap(([, text = ""]) =>
    text.trim().split("\n")
  );
  assertGreater(lines.length, 2);
  for (const line of lines) assert(/^(npx -y deno@[\d.]+ task [a-z:]+$|\.\/dist\/sluice )/.test(line), line);
});
