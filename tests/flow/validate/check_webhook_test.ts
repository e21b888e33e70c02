import { assertEquals } from "@std/assert";
import { createTaskCatalog } from "../../../src/tasks/registry.ts";
import { createTriggerCatalog } from "../../../src/triggers/registry.ts";
import { parseFlowSource, validateFlow } from "../../../src/flow/mod.ts";
import type { JsonObject } from "../../../src/base/json.ts";
import { stringifyJson } from "../../../src/base/json.ts";

const LONG = "0123456789abcdef";
const GUESSED =
  'the key of trigger "hook" is easy to guess: take 16 random characters or more, or a secret: ' +
  "{{ secret('WEBHOOK_KEY') }}";

/** Properties of a webhook, and what is told of them. */
const CASES: readonly (readonly [properties: JsonObject, problems: readonly string[]])[] = [
  [{ key: LONG }, []],
  [{ key: LONG.slice(1) }, [`warning weak_key key: ${GUESSED}`]],
  [{ key: ` ${LONG.slice(1)} ` }, [`warning weak_key key: ${GUESSED}`]],
  [{ key: 1234 }, [`warning weak_key key: ${GUESSED}`]],
  [{ key: "{{ envs.k }}" }, []],
  [{ key: " " }, ["error required key: must not be empty"]],
  [{ key: null }, ["error required key: must not be null"]],
  [{ key: LONG, rateLimit: { calls: 100, period: "PT1M" } }, []],
  [{ key: LONG, rateLimit: { calls: "5" } }, []],
  [{ key: LONG, rateLimit: { period: "PT1M" } }, ["error required rateLimit.calls: must not be null"]],
  [{ key: LONG, rateLimit: { calls: 0 } }, [
    "error too_small rateLimit.calls: must be greater than or equal to 1",
  ]],
  [{ key: LONG, rateLimit: { calls: 1, period: "PT0.5S" } }, [
    "error too_small rateLimit.period: must be greater than or equal to PT1S",
  ]],
  [{ key: LONG, rateLimit: { calls: 1, period: "P2D" } }, [
    "error too_large rateLimit.period: must be less than or equal to PT24H",
  ]],
  [{ key: LONG, signature: { secret: "{{ secret('S') }}" } }, []],
  [{
    key: LONG,
    signature: { secret: "s", header: "X-A", algorithm: "SHA1", timestampHeader: "X-T", tolerance: "PT1M" },
  }, []],
  [{ key: LONG, signature: {} }, ["error required signature.secret: must not be null"]],
  [{ key: LONG, signature: { secret: "s", tolerance: "-PT1M" } }, [
    "error too_small signature.tolerance: must be greater than or equal to PT1S",
  ]],
  [{ key: LONG, signature: { secret: "s", algorithm: "MD5" } }, [
    'error wrong_value signature.algorithm: must be one of "SHA256", "SHA512", "SHA1", but received "MD5"',
  ]],
  [{ key: LONG, signature: { secret: "s", header: "X A" } }, [
    'error wrong_form signature.header: must match "[\\w.-]{1,100}", but received "X A"',
  ]],
];

for (const [properties, problems] of CASES) {
  Deno.test(`checkWebhook() of ${JSON.stringify(properties)}`, () => {
    const source = stringifyJson({
      id: "f",
      namespace: "demo",
      tasks: [{ id: "t", type: "io.svc.plugin.core.log.Log", message: "m" }],
      triggers: [{ id: "hook", type: "io.svc.plugin.core.trigger.Webhook", ...properties }],
    });
    const catalogs = { tasks: createTaskCatalog(), triggers: createTriggerCatalog() };
    const found = validateFlow(parseFlowSource(source), catalogs).map(({ severity, code, path, message }) =>
      `${severity} ${code} ${path.replace("triggers[0].", "")}: ${message}`
    );
    assertEquals(found, problems);
  });
}
