/** Data of format 1, as the first version left it behind: every later version opens it and finds everything. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { ServerProcess } from "../support/processes/server_process.ts";
import { withTempDir } from "../support/temp_dir.ts";

const FIXTURE = "tests/fixtures/data-v1";

interface Listed {
  readonly id: string;
  readonly flowId: string;
  readonly flowRevision: number;
  readonly state: { readonly current: string };
}

Deno.test("data of format 1: flows, executions, KV pairs, files, secrets, tenants and tokens are all there", async () => {
  await withTempDir(async (dataDir) => {
    for (const name of ["sluice.db", "encryption.key"]) {
      await Deno.copyFile(`${FIXTURE}/${name}`, `${dataDir}/${name}`);
    }
    const token = await Deno.readTextFile(`${FIXTURE}/token.txt`);
    await using server = await ServerProcess.start({
      dataDir,
      args: ["--basic-auth", "somebody:some-password"],
    });
    const text = async (path: string, init: RequestInit = {}) => {
      const headers = { authorization: `Bearer ${token}`, ...init.headers };
      const response = await fetch(`${server.url}/api/v1/${path}`, { ...init, headers });
      const body = await response.text();
      assert(response.ok, `${path}: ${response.status} ${body}`);
      return body;
    };
    const get = async (path: string): Promise<unknown> => JSON.parse(await text(path));
    await checkFlows(get);
    await checkExecutions(get);
    await checkNamespace(get, text);
    const started = await text("main/executions/demo/sleep", { method: "POST" });
    assertEquals((JSON.parse(started) as Listed).flowId, "sleep");
  });
});

type Get = (path: string) => Promise<unknown>;

async function checkFlows(get: Get): Promise<void> {
  const revisions = await get("main/flows/demo/hello/revisions") as { revision: number; source: string }[];
  assertEquals(revisions.map(({ revision }) => revision), [1, 2]);
  assertStringIncludes(revisions[0]?.source ?? "", "Hello {{ inputs.name }}");
  assertEquals((await get("other/flows/demo") as unknown[]).length, 1);
}

async function checkExecutions(get: Get): Promise<void> {
  const { results, total } = await get("main/executions/search?size=50") as {
    results: Listed[];
    total: number;
  };
  assertEquals(total, 5);
  const states = results.map(({ flowId, flowRevision, state }) =>
    `${flowId} ${flowRevision} ${state.current}`
  );
  assertEquals(states, [
    "hello 2 CREATED",
    "sleep 1 RUNNING",
    "hello 2 FAILED",
    "hello 1 SUCCESS",
    "hello 1 SUCCESS",
  ]);
  const large = await get(`main/executions/${results[3]?.id}`) as {
    taskRunList: { outputs: { value: string } }[];
  };
  assertEquals(large.taskRunList[0]?.outputs.value.length, "Hello ".length + 100_000);
  const hook = await get(`main/executions/${results[2]?.id}`) as {
    trigger: { variables: Record<string, unknown> };
  };
  assertEquals(hook.trigger.variables.body, { b: 2 });
  assertEquals(hook.trigger.variables.parameters, { a: ["1"] });
  const labelled = await get("main/executions/search?labels=env:one") as { total: number };
  assertEquals(labelled.total, 1);
}

async function checkNamespace(get: Get, text: (path: string) => Promise<string>): Promise<void> {
  const kv = "main/namespaces/demo/kv";
  const pair = await get(`${kv}/text`) as { type: string; value: string };
  assertEquals([pair.type, pair.value], ["STRING", "blue"]);
  assertStringIncludes(await text(`${kv}/number`), '"value":2.0');
  assertEquals((await get(`${kv}/large`) as { value: { text: string } }).value.text.length, 100_000);
  assertEquals((await text("main/namespaces/demo/files?path=/dir/large.txt")).length, 150_000);
  const { results } = await get("main/namespaces/demo/secrets") as { results: { key: string }[] };
  assertEquals(results.map(({ key }) => key), ["PASSWORD"]);
}
