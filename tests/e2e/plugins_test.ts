/** The worked examples of docs/PLUGINS.md, from an empty folder to flows that run, against the real server. */
import { assertEquals } from "@std/assert";
import type { PluginOptions, TestOptions } from "../../src/config/mod.ts";
import { runPlugin } from "../../src/server/plugin/plugin.ts";
import { until } from "../support/processes/machine_processes.ts";
import { ServerProcess } from "../support/processes/server_process.ts";
import { ApiStub } from "../support/servers/api_stub.ts";
import { withTempDir } from "../support/temp_dir.ts";

const DOCUMENT = await Deno.readTextFile(new URL("../../docs/PLUGINS.md", import.meta.url));

/** The group of the first match below a heading, by default in the whole document. */
function part(pattern: RegExp, heading = "# "): string {
  const [, text] = pattern.exec(DOCUMENT.slice(DOCUMENT.indexOf(heading))) ?? [];
  if (text === undefined) throw new Error(`docs/PLUGINS.md has no ${pattern} below "${heading}"`);
  return text;
}

const CODE = /```ts\n([\s\S]*?)```/;
const SAVED = /--data-binary '\n([\s\S]*?)'\n/;
const YAML = { "content-type": "application/x-yaml" };

function tried(path: string, options: Partial<TestOptions>): TestOptions {
  return { action: "test", path, properties: {}, confirms: false, events: 1, seconds: 600, ...options };
}

async function output(options: PluginOptions): Promise<string> {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const code = await runPlugin(options, { print, printError: print });
  return [code, ...lines].join("\n");
}

Deno.test("the example of docs/PLUGINS.md is made, checked, tried and run by a flow", async () => {
  await using service = new ApiStub(({ path, query }) =>
    path === "/weather.json" && query.place === "Berlin"
      ? JSON.parse(part(/echo '(\{"celsius".*?\})'/))
      : undefined
  );
  await withTempDir(async (root) => {
    const folder = `${root}/plugins`, path = `${folder}/weather.ts`;
    assertEquals((await output({ action: "new", path, template: "task" })).split("\n")[0], "0");
    const example = part(CODE).replace("http://127.0.0.1:8000", service.url);
    await Deno.writeTextFile(path, example);
    assertEquals(await output({ action: "check", path: folder }), "0\ncom.example.Weather is right");
    const properties = JSON.parse(part(/plugin test \S+ --properties '(.*?)'/));
    assertEquals(
      await output(tried(path, { properties })),
      '0\nINFO It has 21 degrees in Berlin\nmetric celsius = 21\n{\n  "celsius": 21\n}',
    );
    await using server = await ServerProcess.start({ dataDir: `${root}/data`, args: ["--plugins", folder] });
    const api = `${server.url}/api/v1/main`;
    const saved = await fetch(`${api}/flows`, { method: "POST", headers: YAML, body: part(SAVED) });
    assertEquals([saved.status, (await saved.json()).id], [200, "weather"]);
    const started = await fetch(`${api}/executions/demo/weather?wait=true`, { method: "POST" });
    const { id, state } = await started.json();
    assertEquals(state.current, "SUCCESS");
    const logs: { readonly message: string }[] = await (await fetch(`${api}/logs/${id}`)).json();
    assertEquals(logs.some(({ message }) => message === "21 degrees"), true);
  });
});

Deno.test("the polling trigger of docs/PLUGINS.md is made, checked, tried and starts executions", async () => {
  const heading = "## A trigger";
  let orders = JSON.parse(part(/echo '(\[.*?\])' > service\/orders/, heading));
  await using service = new ApiStub(({ path }) => path === "/orders.json" ? orders : undefined);
  await withTempDir(async (root) => {
    const folder = `${root}/plugins`, path = `${folder}/orders.ts`;
    assertEquals((await output({ action: "new", path, template: "poll" })).split("\n")[0], "0");
    await Deno.writeTextFile(path, part(CODE, heading).replace("http://127.0.0.1:8000", service.url));
    assertEquals(await output({ action: "check", path: folder }), "0\ncom.example.NewOrders is right");
    const state = JSON.parse(part(/--state '(.*?)'/, heading));
    for (const [given, found] of [[undefined, orders], [state, orders.slice(1)]]) {
      assertEquals(
        await output(tried(path, { state: given })),
        `0\nINFO Orders after number ${given?.last ?? 0}: ${found.length}\nAn execution would start with\n` +
          `${JSON.stringify({ orders: found }, null, 2)}\nThe next poll would read --state '{"last":2}'`,
      );
    }
    await using server = await ServerProcess.start({ dataDir: `${root}/data`, args: ["--plugins", folder] });
    const api = `${server.url}/api/v1/main`;
    const saved = await fetch(`${api}/flows`, { method: "POST", headers: YAML, body: part(SAVED, heading) });
    assertEquals([saved.status, (await saved.json()).id], [200, "orders"]);
    const query = part(/executions\?(.*?)'/, heading);
    const started = async (count: number) => {
      let results: readonly { readonly id: string; readonly state: { readonly current: string } }[] = [];
      await until(async () => {
        results = (await (await fetch(`${api}/executions?${query}`)).json()).results;
        return results.length === count && results.every(({ state: { current } }) => current === "SUCCESS");
      });
      const logs = results.map(async ({ id }) => await (await fetch(`${api}/logs/${id}`)).text());
      return (await Promise.all(logs)).flatMap((text) => text.match(/\d new orders/g) ?? []).sort();
    };
    assertEquals(await started(1), ["2 new orders"]);
    orders = JSON.parse(part(/echo '(\[[^']*"id": 3.*?\])'/, heading));
    assertEquals(await started(2), ["1 new orders", "2 new orders"]);
    const states = await (await fetch(`${api}/triggers/demo/orders`)).json();
    const { evaluations }: { readonly evaluations: readonly { readonly outcome: string }[] } =
      states.results[0];
    assertEquals(evaluations.filter(({ outcome }) => outcome === "STARTED").length, 2);
  });
});

Deno.test("the realtime trigger of docs/PLUGINS.md gives each message, and acknowledges it", async () => {
  const heading = "### Real time";
  await using queue = new ApiStub(({ path, method }) => {
    if (path === "/queue/next") return { id: "7", text: "Hello" };
    return method === "DELETE" ? {} : undefined;
  });
  await withTempDir(async (folder) => {
    const path = `${folder}/messages.ts`;
    assertEquals((await output({ action: "new", path, template: "realtime" })).split("\n")[0], "0");
    await Deno.writeTextFile(path, part(CODE, heading));
    assertEquals(await output({ action: "check", path }), "0\ncom.example.Messages is right");
    const given = part(/--properties '(.*?)'/, heading).replace("http://127.0.0.1:8000", queue.url);
    const events = Number(part(/--events (\d+)/, heading)) + 1;
    const event = 'An execution would start with\n{\n  "text": "Hello"\n}';
    assertEquals(
      await output(tried(path, { properties: JSON.parse(given), events })),
      `0\n${event}\n${event}`,
    );
    assertEquals(queue.calls.slice(0, 3), ["GET /queue/next", "DELETE /queue/7", "GET /queue/next"]);
  });
});
