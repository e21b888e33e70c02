/** Plugin files in processes of their own: what is read, what they may do, and how they end. */
import { assertEquals, assertMatch } from "@std/assert";
import { systemClock } from "../../../src/base/time/clock.ts";
import type { JsonObject } from "../../../src/base/json.ts";
import { loadPlugin, loadPlugins } from "../../../src/machine/plugins/plugin_files.ts";
import { PluginProcesses } from "../../../src/machine/plugins/plugin_processes.ts";
import type { TaskContext } from "../../../src/model/tasks/task_definition.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";
import { withTempDir } from "../../support/temp_dir.ts";

const processes = new PluginProcesses(systemClock);

async function withFiles<T>(files: Record<string, string>, work: (folder: string) => Promise<T>): Promise<T> {
  return await withTempDir(async (folder) => {
    for (const [name, source] of Object.entries(files)) await Deno.writeTextFile(`${folder}/${name}`, source);
    return await work(folder);
  });
}

/** A plugin whose `run` has this body. */
function pluginOf(body: string, permissions = "{}"): string {
  return `export default defineTask({ type: "com.example.A", description: "A type.", properties: {},
    permissions: ${permissions}, async run(context) { ${body} } });`;
}

interface Trial {
  readonly outputs?: JsonObject;
  readonly error: string;
  readonly log: readonly string[];
}

/** Runs a plugin; the attempt is aborted at the log line `stopAt`. */
async function tryPlugin(
  source: string,
  own: Partial<TaskContext> = {},
  { stopAt, host = processes }: { stopAt?: string; host?: PluginProcesses } = {},
): Promise<Trial> {
  return await withFiles({ "a.js": source }, async (folder) => {
    const loaded = await loadPlugin(`${folder}/a.js`, host);
    if (!("definition" in loaded)) throw new Error(loaded.message);
    if (loaded.kind !== "run") throw new Error("It is a trigger");
    const log: string[] = [];
    const stop = new AbortController();
    const context = {
      attempt: { tenant: "main", flowId: "f" },
      properties: { text: "two words" },
      signal: stop.signal,
      log: (level: string, message: string) => {
        log.push(`${level} ${message}`);
        if (message === stopAt) stop.abort();
      },
      metric: (name: string, value: number) => void log.push(`metric ${name} ${value}`),
      directory: () => Promise.resolve(folder),
      ...own,
    } as unknown as TaskContext;
    try {
      return { outputs: await loaded.definition.run(context) ?? {}, error: "", log };
    } catch (error) {
      return { error: (error as Error).message, log };
    }
  });
}

/** The package is one of the server, so that nothing is fetched. */
const FFLATE = 'import { strToU8 } from "npm:fflate@0.8.3";\n';

Deno.test("a plugin uses packages of npm, with its own permissions alone", async () => {
  const body = `const read = await Deno.readTextFile("/etc/hostname").then(() => "read", ({ name }) => name);
    return { bytes: [...strToU8("ab")], read };`;
  const { outputs, error } = await tryPlugin(FFLATE + pluginOf(body));
  assertEquals([outputs, error], [{ bytes: [97, 98], read: "NotCapable" }, ""]);
});

Deno.test("types of a plugin with packages are stripped", async () => {
  const source = `${FFLATE}const sizes: readonly number[] = [...strToU8("ab" as string)];
    ${pluginOf("return { sizes };")}`;
  await withFiles({ "a.ts": source }, async (folder) => {
    const loaded = await loadPlugin(`${folder}/a.ts`, processes);
    assertEquals("definition" in loaded ? loaded.definition.type : loaded.message, "com.example.A");
  });
});

Deno.test("a plugin whose package is not there is a problem of its file", async () => {
  const source = `import "npm:fflate@0.8.3/none.js";\n${pluginOf("")}`;
  await withFiles({ "a.js": source }, async (folder) => {
    const loaded = await loadPlugin(`${folder}/a.js`, processes);
    assertMatch(
      "message" in loaded ? loaded.message : "",
      /^a\.js: its packages cannot be bundled: .*none\.js/,
    );
  });
});

Deno.test("loadPlugins() reads definitions of .js and .ts files, and no other files", async () => {
  const source = (type: string) =>
    `export default defineTask({ type: "${type}", description: "A type.", properties: {
      count: { type: "integer", description: "A number.", minimum: 1, required: true },
    }, run() {} });`;
  const files = {
    "b.ts": `const unused: number = 1 as number;\n${source("com.example.B")}`,
    "a.js": source("com.example.A"),
    "c_test.ts": "throw new Error()",
    "sluice.d.ts": "declare function defineTask(task: unknown): unknown;",
    "notes.md": "# Notes",
  };
  const { plugins, problems } = await withFiles(files, (folder) => loadPlugins(folder, processes));
  assertEquals(problems, []);
  assertEquals(plugins.map(({ file, definition }) => [file, definition.type]), [["a.js", "com.example.A"], [
    "b.ts",
    "com.example.B",
  ]]);
  assertEquals(plugins[0]?.definition.properties.count?.minimum, 1);
});

/** Files that cannot be used, and why. */
const WRONG: readonly (readonly [name: string, source: string, message: RegExp])[] = [
  ["a.js", "const a = 1;\nlet b = ;", /^a\.js:2:9: SyntaxError: /],
  ["a.ts", "const a: number = 1;\nlet b = ;", /^a\.ts:2:9: SyntaxError: /],
  ["a.js", "\nthrow new Error('no')", /^a\.js:2:7: no$/],
  ["a.js", 'import "./b.js";', /^a\.js(?::1:8)?: Cannot import "\.\/b\.js": a plugin is one file$/],
  ["a.js", "export default 1", /^a\.js: there is no `export default defineTask\(\{ … \}\)` or/],
  [
    "a.js",
    'export default defineTask({ type: "com.a", description: "A.", properties: {} })',
    /^a\.js: run: must be a function$/,
  ],
  [
    "a.js",
    'export default defineTrigger({ type: "com.a", description: "A.", properties: {} })',
    /^a\.js: poll or realtime: must be a function$/,
  ],
  [
    "a.js",
    'const a = { type: "com.a", description: "A.", properties: {}, run() {} };\n' +
    'export const b = defineTask({ ...a, type: "com.b" });\nexport default defineTask(a);',
    /^a\.js: it declares 2 types, com\.b and com\.a: write a file for each$/,
  ],
  [
    "a.js",
    'const a = { type: "com.a", description: "A.", properties: {}, run() {} };\n' +
    'export default [defineTask(a), defineTask({ ...a, type: "com.b" })];',
    /^a\.js: it declares 2 types, com\.a and com\.b: write a file for each$/,
  ],
  ["a.ts", "export default defineTask({});\nexport default defineTask({});", /^a\.ts:2:\d+: SyntaxError: /],
  ["a.js", "export default defineTask({});\nexport default defineTask({});", /^a\.js:2:\d+: SyntaxError: /],
  [
    "a.js",
    'export const a = defineTask({ type: "com.a", description: "A.", properties: {}, run() {} });',
    /^a\.js: there is no `export default defineTask/,
  ],
  ["a.js", "Deno.exit(0)", /^a\.js:1:6: A plugin cannot end its process/],
  [
    "a.js",
    'await fetch("http://127.0.0.1:65533/")',
    /^a\.js:1:7: NotCapable: Requires net access to "127\.0\.0\.1:65533"$/,
  ],
];

for (const [name, source, message] of WRONG) {
  Deno.test(`loadPlugins() reports ${JSON.stringify(source)} in ${name} with its place`, async () => {
    const { problems } = await withFiles({ [name]: source }, (folder) => loadPlugins(folder, processes));
    assertEquals(problems.map(({ file }) => file), [name]);
    assertMatch(problems[0]?.message ?? "", message);
  });
}

Deno.test("loadPlugins() reports a folder that does not exist", async () => {
  const { problems } = await loadPlugins("/nowhere/at/all", processes);
  assertEquals(problems.map(({ message }) => message), ["/nowhere/at/all: there is no such file or folder"]);
});

Deno.test("a plugin gets properties and attempt, and gives outputs, log lines and metrics", async () => {
  const body = `const words = context.properties.text.split(" ");
    console.log("count", { n: words.length }); context.log("WARN", context.attempt.flowId);
    context.metric("words", words.length); return { words };`;
  const { outputs, log } = await tryPlugin(pluginOf(body));
  assertEquals(outputs, { words: ["two", "words"] });
  assertEquals(log, ['INFO count {"n":2}', "WARN f", "metric words 2"]);
});

Deno.test("a plugin sends requests by the client of the server", async () => {
  const body =
    `const { status, text, bytes } = await context.http({ url: "https://a.example", json: { a: 1 } });
    return { status, text, size: bytes.length };`;
  const sent: unknown[] = [];
  const { outputs } = await tryPlugin(pluginOf(body), {
    http: (request) => {
      sent.push(request);
      return Promise.resolve({ status: 201, headers: {}, bytes: new Uint8Array(3), text: "yes" });
    },
  });
  assertEquals(sent, [{ url: "https://a.example", json: { a: 1 }, body: undefined }]);
  assertEquals(outputs, { status: 201, text: "yes", size: 3 });
});

Deno.test("a plugin names files for requests, and is given checked addresses", async () => {
  const body =
    `const { path, size } = await context.http({ url: "http://a.example", bodyFile: "in", saveTo: "out" });
    return { path, size, address: await context.connectAddress("a.example", 5432) };`;
  const sent: unknown[] = [];
  const { outputs } = await tryPlugin(pluginOf(body), {
    http: (request) => {
      sent.push(request);
      const saved = { path: "/folder/out", size: 7 };
      return Promise.resolve({ status: 200, headers: {}, bytes: new Uint8Array(), text: "", ...saved });
    },
    connectAddress: (host, port) => Promise.resolve({ hostname: `ip of ${host}`, port }),
  });
  assertEquals(sent, [{ url: "http://a.example", bodyFile: "in", saveTo: "out", body: undefined }]);
  const address = { hostname: "ip of a.example", port: 5432 };
  assertEquals(outputs, { path: "/folder/out", size: 7, address });
});

Deno.test("a refused request is an error in the plugin, which it may catch", async () => {
  const body = `try { await context.http({ url: "x" }) } catch (error) { return { said: error.message } }`;
  const { outputs } = await tryPlugin(pluginOf(body), { http: () => Promise.reject(new Error("denied")) });
  assertEquals(outputs, { said: "denied" });
});

Deno.test("a plugin reads and writes files of its directory, and stores them", async () => {
  const body = `const path = await context.directory() + "/out.txt";
    await Deno.writeTextFile(path, "text");
    return { uri: await context.storeFile(path), text: await Deno.readTextFile(path) };`;
  const { outputs } = await tryPlugin(pluginOf(body), {
    storeFile: (path) => Promise.resolve(`stored ${path.slice(path.lastIndexOf("/") + 1)}`),
  });
  assertEquals(outputs, { uri: "stored out.txt", text: "text" });
});

/** What a plugin may not do, and what it is told. */
const DENIED: readonly (readonly [body: string, error: RegExp])[] = [
  [`await fetch("http://127.0.0.1:65533/")`, /NotCapable: Requires net access to "127\.0\.0\.1:65533"$/],
  [`await Deno.readTextFile("/etc/hostname")`, /NotCapable: Requires read access to "\/etc\/hostname"$/],
  [`await Deno.writeTextFile("/tmp/x", "")`, /NotCapable: Requires write access to "\/tmp\/x"$/],
  [`await Deno.symlink("/etc", await context.directory() + "/l")`, /NotCapable: /],
  [`Deno.env.get("HOME")`, /NotCapable: Requires env access/],
  [`new Deno.Command("ls").outputSync()`, /NotCapable: Requires run access/],
  [
    `new Worker("data:application/javascript,", { type: "module", deno: { permissions: "inherit" } }); ` +
    `await Deno.readTextFile("/etc/hostname")`,
    /NotCapable: /,
  ],
];

for (const [body, error] of DENIED) {
  Deno.test(`a plugin is denied ${body}`, async () => {
    assertMatch((await tryPlugin(pluginOf(body))).error, error);
  });
}

Deno.test("a plugin connects to the hosts that it declares, and to no other", async () => {
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => new Response("hi"),
  );
  const { port } = server.addr;
  const body = `const text = await (await fetch("http://127.0.0.1:${port}/")).text();
    const other = await fetch("http://127.0.0.2:${port}/").catch((error) => error.name);
    return { text, other };`;
  const { outputs } = await tryPlugin(pluginOf(body, `{ net: ["127.0.0.1:${port}"] }`));
  assertEquals(outputs, { text: "hi", other: "NotCapable" });
});

/** How an attempt ends that does not end by itself. */
const ENDS: readonly (readonly [body: string, error: RegExp])[] = [
  [`throw new TypeError("no")`, /^a\.js:2:\d+: TypeError: no$/],
  [`setTimeout(() => { throw new Error("late") }); await new Promise(() => {})`, /^a\.js: .*late$/],
  [`Deno.exit(1)`, /A plugin cannot end its process/],
  [`const all = []; for (;;) all.push(new Array(1e5).fill(Math.random()))`, /more than 512 MB of memory$/],
  [`const all = []; for (;;) all.push(new Uint8Array(1e7).fill(1))`, /more than 512 MB of memory$/],
  [`return () => 1`, /^Invalid outputs: run must return an object, or nothing$/],
  [`Deno.stdout.writeSync(new TextEncoder().encode("no message\\n")); await new Promise(() => {})`, /JSON/],
];

for (const [body, error] of ENDS) {
  Deno.test(`an attempt ends with an error: ${body}`, async () => {
    assertMatch((await tryPlugin(pluginOf(body))).error, error);
  });
}

for (const loop of ["for (;;);", "for (;;) await 0;", "await new Promise(() => {})"]) {
  Deno.test(`an attempt is stopped although its code does not end: ${loop}`, async () => {
    const body = `console.log("begins"); context.signal.onabort = () => console.log("aborted"); ${loop}`;
    const { error } = await tryPlugin(pluginOf(body), {}, { stopAt: "begins" });
    assertEquals(error, "The plugin was stopped");
  });
}

Deno.test("a plugin may stop by itself when its attempt must stop", async () => {
  const body = `console.log("begins");
    await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
    return { stopped: true };`;
  // The time that it has for that does not pass.
  const host = new PluginProcesses(new FakeClock());
  const { outputs } = await tryPlugin(pluginOf(body), {}, { stopAt: "begins", host });
  assertEquals(outputs, { stopped: true });
});
