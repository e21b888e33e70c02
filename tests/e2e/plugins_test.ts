/** The worked example of docs/PLUGINS.md, from an empty folder to a flow that runs, against the real server. */
import { assertEquals } from "@std/assert";
import type { PluginOptions } from "../../src/config/mod.ts";
import { runPlugin } from "../../src/server/plugin/plugin.ts";
import { ServerProcess } from "../support/processes/server_process.ts";
import { ApiStub } from "../support/servers/api_stub.ts";
import { withTempDir } from "../support/temp_dir.ts";

const DOCUMENT = await Deno.readTextFile(new URL("../../docs/PLUGINS.md", import.meta.url));

/** The group of the first match. */
function part(pattern: RegExp): string {
  const [, text] = pattern.exec(DOCUMENT) ?? [];
  if (text === undefined) throw new Error(`docs/PLUGINS.md has no ${pattern}`);
  return text;
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
    assertEquals((await output({ action: "new", path })).split("\n")[0], "0");
    const example = part(/```ts\n([\s\S]*?)```/).replace("http://127.0.0.1:8000", service.url);
    await Deno.writeTextFile(path, example);
    assertEquals(await output({ action: "check", path: folder }), "0\ncom.example.Weather is right");
    const properties = JSON.parse(part(/plugin test \S+ --properties '(.*?)'/));
    assertEquals(
      await output({ action: "test", path, properties }),
      '0\nINFO It has 21 degrees in Berlin\nmetric celsius = 21\n{\n  "celsius": 21\n}',
    );
    await using server = await ServerProcess.start({ dataDir: `${root}/data`, args: ["--plugins", folder] });
    const api = `${server.url}/api/v1/main`;
    const flow = part(/--data-binary '\n([\s\S]*?)'\n/);
    const headers = { "content-type": "application/x-yaml" };
    const saved = await fetch(`${api}/flows`, { method: "POST", headers, body: flow });
    assertEquals([saved.status, (await saved.json()).id], [200, "weather"]);
    const started = await fetch(`${api}/executions/demo/weather?wait=true`, { method: "POST" });
    const { id, state } = await started.json();
    assertEquals(state.current, "SUCCESS");
    const logs: { readonly message: string }[] = await (await fetch(`${api}/logs/${id}`)).json();
    assertEquals(logs.some(({ message }) => message === "21 degrees"), true);
  });
});
