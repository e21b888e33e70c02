/** `core.flow.PurgeFlows` within flows. */
import { assertEquals } from "@std/assert";
import { Harness } from "../../support/harness.ts";
import { yaml } from "../../support/flows/request_bodies.ts";
import { flowOf, logOf, resultsOf, runTasks } from "../core_flows.ts";

const FLOWS = ["demo/a", "demo/b_old", "demo.low/a", "else/a"];

function source(flow: string, message: string): string {
  const [namespace = "", id = ""] = flow.split("/");
  return flowOf(id, [`l log.Log {message: ${message}}`]).replace(
    "namespace: demo",
    `namespace: ${namespace}`,
  );
}

/** Saves each flow three times. */
async function start(): Promise<Harness> {
  const app = await Harness.start();
  for (const flow of FLOWS) {
    await app.save(source(flow, "1"));
    for (const message of ["2", "3"]) await replace(app, flow, source(flow, message));
  }
  return app;
}

async function replace(app: Harness, flow: string, text: string): Promise<void> {
  await app.json("PUT", `/flows/${flow}`, yaml(text));
}

async function revisionsOf(app: Harness, flow: string): Promise<string> {
  const found = await app.json("GET", `/flows/${flow}/revisions`) as unknown as { revision: number }[];
  return found.map(({ revision }) => revision).join("");
}

/** Properties, the number of revisions that are deleted, and the revisions that stay, in the order of {@link FLOWS}. */
const PURGES: readonly (readonly [members: string, size: number, left: readonly string[]])[] = [
  ["", 8, ["3", "3", "3", "3"]],
  ["behavior: {type: version, keepAmount: 2}", 4, ["23", "23", "23", "23"]],
  ["behavior: {type: version, keepAmount: 0}, namespaces: [else]", 2, ["123", "123", "123", "3"]],
  ["behavior: {type: version, keepAmount: 3}", 0, ["123", "123", "123", "123"]],
  ["behavior: {type: version}, namespaces: [demo]", 6, ["3", "3", "3", "123"]],
  ["namespaces: [demo], includeChildNamespaces: false", 4, ["3", "3", "123", "123"]],
  ["namespacePattern: 'demo*', flowPattern: '*_old'", 2, ["123", "3", "123", "123"]],
];

for (const [members, size, left] of PURGES) {
  Deno.test(`flow.PurgeFlows {${members}} deletes ${size} revisions`, async () => {
    await using app = await start();
    const execution = await runTasks(app, [`p flow.PurgeFlows {${members}}`]);
    assertEquals(
      resultsOf(execution).p,
      `SUCCESS {"size":${size}}`,
      (await logOf(app, execution.id)).join("\n"),
    );
    assertEquals(await Promise.all(FLOWS.map((flow) => revisionsOf(app, flow))), [...left]);
  });
}

Deno.test("flow.PurgeFlows keeps a revision that an execution which has not ended needs", async () => {
  await using app = await Harness.start();
  await app.save(source("demo/a", "1"));
  await replace(app, "demo/a", flowOf("a", ["w flow.Pause {}"]));
  const paused = await app.start("a");
  await replace(app, "demo/a", source("demo/a", "3"));
  await runTasks(app, ["p flow.PurgeFlows {flowPattern: a}"]);
  assertEquals(await revisionsOf(app, "demo/a"), "23");
  await app.json("POST", `/executions/${paused.id}/resume`);
  assertEquals((await app.execution(String(paused.id))).state.current, "SUCCESS");
});

Deno.test("flow.PurgeFlows with `before` is refused when the flow is saved", async () => {
  await using app = await Harness.start();
  const flow = flowOf("p", ["p flow.PurgeFlows {behavior: {type: version, before: '2026-01-01T00:00:00Z'}}"]);
  const response = await app.request("POST", "/flows", yaml(flow));
  const { message } = await response.json();
  assertEquals([response.status, message], [
    422,
    "Invalid entity: tasks[p].behavior.before: is not supported yet, remove it",
  ]);
});
