/** A server that starts again loads the types of its flows, however their sources write them. */
import { assertEquals } from "@std/assert";
import { ServerProcess } from "../support/processes/server_process.ts";
import { withTempDir } from "../support/temp_dir.ts";

const SOURCES: readonly (readonly [id: string, type: string])[] = [
  ["plain", "io.kestra.plugin.transform.grok.TransformValue"],
  ["escaped", String.raw`"io.kestra.plugin.\x74ransform.grok.TransformValue"`],
];

for (const [id, type] of SOURCES) {
  Deno.test(`a flow with the type ${type} runs after a restart`, async () => {
    await withTempDir(async (dataDir) => {
      {
        await using server = await ServerProcess.start({ dataDir });
        const task = `{id: parse, type: ${type}, from: "a 1", pattern: "%{WORD:word}"}`;
        const body = `id: ${id}\nnamespace: demo\ntasks:\n  - ${task}\n`;
        await server.json("POST", "/flows", { body, headers: { "content-type": "application/x-yaml" } });
      }
      await using server = await ServerProcess.start({ dataDir });
      const execution = await server.json("POST", `/executions/demo/${id}?wait=true`) as {
        readonly state: { readonly current: string };
      };
      assertEquals(execution.state.current, "SUCCESS");
    });
  });
}
