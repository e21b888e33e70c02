/** An expression that takes longer than the server allows fails its task, whoever started the execution. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { Harness } from "../support/harness.ts";

const CORE = "io.svc.plugin.core.";
/** Charged with more work than 50 ms. */
const LONG = "{{ range(1, 90000) | sort | last }}";
const REASON = "Cannot evaluate for more than 50 ms: make the template or its data smaller";

Deno.test("a task whose expressions take too long fails with the reason, and the server continues", async () => {
  await using app = await Harness.start({ maxRenderMs: 50 });
  const places = [
    `{id: a, type: ${CORE}debug.Return, format: "${LONG}"}`,
    `{id: a, type: ${CORE}log.Log, message: ["short", "${LONG}"]}`,
    `{id: a, type: ${CORE}debug.Return, runIf: "${LONG}", format: x}`,
    `{id: a, type: ${CORE}flow.If, condition: "${LONG}", then: [{id: b, type: ${CORE}debug.Return, format: x}]}`,
    `{id: a, type: ${CORE}flow.ForEach, values: "[${LONG}]", tasks: [{id: b, type: ${CORE}debug.Return, format: x}]}`,
  ];
  for (const [index, place] of places.entries()) {
    await app.save(`id: long${index}\nnamespace: demo\ntasks:\n  - ${place}\n`);
    const { id } = await app.start(`long${index}`, {}, "?wait=true");
    assertEquals((await app.execution(id)).state.current, "FAILED", place);
    assertStringIncludes(JSON.stringify(await app.json("GET", `/logs/${id}`)), REASON, place);
  }
});

Deno.test("an expression that a caller tries out is bounded in time", async () => {
  await using app = await Harness.start({ maxRenderMs: 50 });
  const body = JSON.stringify({ expressions: [LONG, "{{ 1 }}"], context: {} });
  const headers = { "content-type": "application/json" };
  const tried = JSON.stringify(await app.json("POST", "/expressions/render", { body, headers }));
  assertStringIncludes(tried, REASON);
  assertStringIncludes(tried, '"rendered":{"{{ 1 }}":"1"}');
});
