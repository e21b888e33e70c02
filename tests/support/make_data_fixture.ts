/**
 * Creates `tests/fixtures/data-v1`: a data directory of format 1 that holds one record of every kind. It was created once
 * and must not be regenerated: every later version must open it (`tests/e2e/data_format_test.ts`).
 */
import { ServerProcess } from "./processes/server_process.ts";

const YAML = { "content-type": "application/x-yaml" };
const JSON_TYPE = { "content-type": "application/json" };
const FLOW = (format: string) =>
  `id: hello
namespace: demo
labels: {team: core}
inputs:
  - id: name
    type: STRING
    defaults: World
tasks:
  - id: greet
    type: io.svc.plugin.core.debug.Return
    format: ${format}
triggers:
  - id: hook
    type: io.svc.plugin.core.trigger.Webhook
    key: fixture-key
`;
const SLEEP = `id: sleep
namespace: demo
tasks:
  - id: wait
    type: io.svc.plugin.core.flow.Sleep
    duration: P3650D
`;

/** Creates one record of every kind. Returns the secret of an API token, which the server shows once. */
async function fill(url: string): Promise<string> {
  const send = async (method: string, path: string, body?: BodyInit, headers: HeadersInit = {}) => {
    const response = await fetch(`${url}/api/v1/${path}`, { method, body, headers });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text;
  };
  await send("POST", "main/flows", FLOW('"Hello {{ inputs.name }}"'), YAML);
  await send("POST", "main/flows", SLEEP, YAML);
  await send("POST", "main/executions/demo/hello?labels=env:one", new URLSearchParams({ name: "Ada" }));
  await send("POST", "main/executions/demo/hello", new URLSearchParams({ name: "x".repeat(100_000) }));
  await send("PUT", "main/flows/demo/hello", FLOW('"Goodbye {{ inputs.nobody }}"'), YAML);
  await send("POST", "main/executions/webhook/demo/hello/fixture-key?a=1", '{"b": 2.0}');
  await send("POST", "main/executions/demo/sleep");
  await send("POST", "main/executions/demo/hello?scheduleDate=2099-01-01T00:00:00Z");
  await send("PUT", "main/namespaces/demo/kv/text", '"blue"', JSON_TYPE);
  await send("PUT", "main/namespaces/demo/kv/number", "2.0", JSON_TYPE);
  await send(
    "PUT",
    "main/namespaces/demo/kv/large",
    JSON.stringify({ text: "y".repeat(100_000) }),
    JSON_TYPE,
  );
  await send("PUT", "main/namespaces/demo/secrets", '{"key":"PASSWORD","value":"s3cret"}', JSON_TYPE);
  const form = new FormData();
  form.set("fileContent", new Blob(["z".repeat(150_000)]), "large.txt");
  await send("POST", "main/namespaces/demo/files?path=/dir/large.txt", form);
  await send("POST", "tenants", '{"id":"other","name":"Other"}', JSON_TYPE);
  await send("POST", "other/flows", FLOW("other"), YAML);
  const token = await send("POST", "me/api-tokens", '{"name":"fixture"}', JSON_TYPE);
  return (JSON.parse(token) as { fullToken: string }).fullToken;
}

if (import.meta.main) {
  const dataDir = Deno.args[0] ?? "tests/fixtures/data-v1";
  const auth = ["--basic-auth", "fixture:fixture-password"];
  const first = await ServerProcess.start({ dataDir });
  await fill(first.url);
  await first.kill("SIGTERM");
  const second = await ServerProcess.start({ dataDir, args: auth });
  const token = await fetch(`${second.url}/api/v1/me/api-tokens`, {
    method: "POST",
    body: '{"name":"fixture-two"}',
    headers: { ...JSON_TYPE, authorization: `Basic ${btoa("fixture:fixture-password")}` },
  });
  await Deno.writeTextFile(`${dataDir}/token.txt`, (await token.json() as { fullToken: string }).fullToken);
  await second.kill("SIGTERM");
  for (const name of ["reserve.bin", "sluice.pid", "sluice.lock"]) {
    await Deno.remove(`${dataDir}/${name}`).catch(() => {});
  }
}
