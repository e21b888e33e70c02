/** A server with plugins: types, validation, documentation, runs, kills and time-outs. */
import { assertEquals, assertMatch } from "@std/assert";
import { ServerProcess } from "../../support/processes/server_process.ts";
import { withTempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/processes/machine_processes.ts";

const PLUGIN = `export default defineTask({
  type: "com.example.Count",
  title: "Count words",
  description: "Counts the words of a text.",
  properties: {
    text: { type: "string", required: true, description: "The text." },
    loop: { type: "boolean", default: false, description: "Whether it never ends." },
  },
  outputs: { words: { type: "integer", description: "Number of words." } },
  metrics: { words: { type: "counter", description: "Number of words." } },
  async run(context: { properties: { text: string; loop: boolean }; [other: string]: any }) {
    const { text, loop } = context.properties;
    console.log("begins");
    while (loop);
    const words = text.split(" ").length;
    context.metric("words", words);
    const path = await context.directory() + "/words.txt";
    await Deno.writeTextFile(path, text);
    return { words, uri: await context.storeFile(path) };
  },
});`;

const TRIGGER =
  `export default defineTrigger({ type: "com.example.Tick", title: "Tick", description: "Ticks.",
  properties: { step: { type: "integer", required: true, description: "The step." } },
  outputs: { count: { type: "integer", description: "The count." } },
  poll({ properties: { step }, state }) {
    const count = (state.get()?.count ?? 0) + step;
    state.set({ count });
    return { count };
  } });`;

interface Execution {
  readonly id: string;
  readonly state: { readonly current: string };
  readonly taskRunList: readonly { readonly outputs: Record<string, unknown> }[];
}

const FLOW = (properties: string) =>
  `id: count\nnamespace: demo\ntasks:\n- {id: c, type: com.example.Count, ${properties}}`;
const YAML = { "content-type": "application/x-yaml" };

async function withServer(use: (server: ServerProcess) => Promise<void>): Promise<void> {
  await withTempDir(async (folder) => {
    await Deno.mkdir(`${folder}/plugins`);
    await Deno.writeTextFile(`${folder}/plugins/count.ts`, PLUGIN);
    await Deno.writeTextFile(`${folder}/plugins/tick.js`, TRIGGER);
    await Deno.writeTextFile(`${folder}/plugins/bad.js`, "let a = ;");
    await Deno.writeTextFile(`${folder}/plugins/twin.js`, PLUGIN.replace(/context: \{.*\}\)/, "context)"));
    const args = ["--plugins", `${folder}/plugins`, "--scripts", "off"];
    await using server = await ServerProcess.start({ dataDir: `${folder}/data`, args });
    await use(server);
  });
}

async function start(server: ServerProcess, properties: string, query = ""): Promise<Execution> {
  await server.json("POST", "/flows", { body: FLOW(properties), headers: YAML }).catch(() =>
    server.json("PUT", "/flows/demo/count", { body: FLOW(properties), headers: YAML })
  );
  return await server.json<Execution>("POST", `/executions/demo/count${query}`);
}

async function ended(server: ServerProcess, id: string): Promise<Execution> {
  let execution = await server.json<Execution>("GET", `/executions/${id}`);
  await until(async () => {
    execution = await server.json<Execution>("GET", `/executions/${id}`);
    return ["SUCCESS", "FAILED", "KILLED"].includes(execution.state.current);
  });
  return execution;
}

const LOG_TIMEOUT_MS = 60_000;
const UNUSABLE = [
  /Cannot use a plugin: bad\.js:1:9: SyntaxError: /,
  /Cannot use a plugin: twin\.js: the name "com\.example\.Count" is taken by the type of count\.ts/,
];

Deno.test("a server with plugins runs their types, and says which files it cannot use", async () => {
  await withServer(async (server) => {
    assertEquals(await (await fetch(`${server.url}/health`)).json(), {
      status: "UP",
      failedPlugins: ["bad.js", "twin.js"],
    });
    for (const line of UNUSABLE) await server.waitForLog(line, LOG_TIMEOUT_MS);

    const { taskRunList, state } = await start(server, 'text: "{{ 1 + 1 }} words more"', "?wait=true");
    assertEquals([state.current, taskRunList[0]?.outputs.words], ["SUCCESS", 3]);

    const problems = await server.json<{ readonly constraints?: string }[]>("POST", "/flows/validate", {
      body: FLOW("texts: a"),
      headers: YAML,
    });
    assertMatch(problems[0]?.constraints ?? "", /texts/);
    assertMatch(problems[0]?.constraints ?? "", /text: must not be null/);

    const page = await (await fetch(`${server.url}/api/v1/plugins/com.example.Count`)).json();
    assertMatch(page.markdown, /^# Count\n[^]*## Metrics[^]*`words` \| counter/);
  });
});

Deno.test("a kill and a time-out end a plugin that loops, and the server continues", async () => {
  await withServer(async (server) => {
    const killed = await start(server, "text: a, loop: true");
    await until(async () =>
      JSON.stringify(await server.json("GET", `/logs/${killed.id}`)).includes('"message":"begins"')
    );
    await server.json("DELETE", `/executions/${killed.id}/kill`);
    assertEquals((await ended(server, killed.id)).state.current, "KILLED");

    const timedOut = await start(server, "text: a, loop: true, timeout: PT1S");
    assertEquals((await ended(server, timedOut.id)).state.current, "FAILED");
    assertEquals((await start(server, "text: a b", "?wait=true")).state.current, "SUCCESS");
  });
});

const TRIGGERED = (properties: string) =>
  `id: tick\nnamespace: demo\ntasks:\n- {id: r, type: io.svc.plugin.core.debug.Return, format: "{{ trigger.count }}"}\n` +
  `triggers:\n- {id: t, type: com.example.Tick, interval: PT1S, ${properties}}`;

Deno.test("a server with plugins checks, documents and runs their triggers as its own", async () => {
  await withServer(async (server) => {
    await server.waitForLog(/Plugins add types folder=\S+ tasks=1 triggers=1/, LOG_TIMEOUT_MS);
    const problems = await server.json<{ readonly constraints?: string }[]>("POST", "/flows/validate", {
      body: TRIGGERED("steps: 1, timeout: a"),
      headers: YAML,
    });
    assertMatch(problems[0]?.constraints ?? "", /Unrecognized field "steps"/);
    assertMatch(problems[0]?.constraints ?? "", /step: must not be null/);
    assertMatch(problems[0]?.constraints ?? "", /timeout/);

    const root = `${server.url}/api/v1/plugins`;
    const page = await (await fetch(`${root}/com.example.Tick`)).json();
    assertMatch(
      page.markdown,
      /^# Tick\n[^]*`step` \| integer[^]*`timeout` \| duration[^]*`count` \| integer/,
    );
    const { results }: { readonly results: readonly { readonly type: string }[] } =
      await (await fetch(`${root}/triggers`)).json();
    const own = results.map(({ type }) => type).filter((type) => type.includes("Tick"));
    assertEquals(own, ["com.example.Tick"]);
    const schema = await (await fetch(`${root}/schemas/flow`)).text();
    assertEquals([schema.includes('"com.example.Tick"'), schema.includes("plugin.com.example.Tick")], [
      true,
      false,
    ]);

    await server.json("POST", "/flows", { body: TRIGGERED("step: 5"), headers: YAML });
    const found = () =>
      server.json<{ readonly results: readonly { readonly trigger: { readonly variables: unknown } }[] }>(
        "GET",
        "/executions/search?filters[flowId][EQUALS]=tick&sort=state.startDate:asc",
      );
    await until(async () => (await found()).results.length >= 2);
    const counts = (await found()).results.map(({ trigger }) => trigger.variables);
    assertEquals(counts.slice(0, 2), [{ count: 5 }, { count: 10 }]);
  });
});
