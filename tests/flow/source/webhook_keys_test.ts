import { assertEquals, assertStringIncludes } from "@std/assert";
import { parseFlowSource } from "../../../src/flow/mod.ts";
import { withoutTriggerKeys, withoutWebhookKeys } from "../../../src/flow/source/webhook_keys.ts";
import type { Flow } from "../../../src/model/flows/flow.ts";
import { isJsonObject, objectsOf } from "../../../src/base/json.ts";

const WEBHOOK = "core.trigger.Webhook";

/** As much of a flow as the functions read. */
function flowOf(source: string): Flow {
  const { document = {} } = parseFlowSource(source);
  const triggers = objectsOf(document["triggers"]).map((properties) => {
    const type = String(properties["type"]);
    return { id: String(properties["id"]), type, kind: type, disabled: false, properties };
  });
  const blocks = { tasks: [], errors: [], finally: [], afterExecution: [] };
  return { ...blocks, triggers, definition: document, source } as unknown as Flow;
}

/** Sources with a key, and with what a viewer reads instead. */
const SOURCES: readonly (readonly [name: string, source: string, shown: string])[] = [
  [
    "a plain key",
    `id: a\ntriggers:\n  - id: hook\n    type: ${WEBHOOK}\n    key: ab1 # of the shop\n`,
    `id: a\ntriggers:\n  - id: hook\n    type: ${WEBHOOK}\n    key: "••••" # of the shop\n`,
  ],
  [
    "a key with escapes",
    `triggers: [{id: hook, type: ${WEBHOOK}, key: "ab\\x63d"}]`,
    `triggers: [{id: hook, type: ${WEBHOOK}, key: "••••"}]`,
  ],
  [
    "a number",
    `triggers: [{id: hook, type: ${WEBHOOK}, key: 1234}]`,
    `triggers: [{id: hook, type: ${WEBHOOK}, key: "••••"}]`,
  ],
  [
    "a block",
    `triggers:\n  - id: hook\n    type: ${WEBHOOK}\n    key: >-\n      abcd\n    wait: true\n`,
    `triggers:\n  - id: hook\n    type: ${WEBHOOK}\n    key: "••••"\n    wait: true\n`,
  ],
  [
    "an anchor",
    `variables: {key: &k abcd}\ntriggers: [{id: hook, type: ${WEBHOOK}, key: *k}]`,
    `variables: {key: &k "••••"}\ntriggers: [{id: hook, type: ${WEBHOOK}, key: *k}]`,
  ],
  [
    "JSON",
    `{"triggers": [{"id": "hook", "type": "${WEBHOOK}", "key": "abcd"}]}`,
    `{"triggers": [{"id": "hook", "type": "${WEBHOOK}", "key": "••••"}]}`,
  ],
  [
    "a secret of signatures",
    `triggers: [{id: hook, type: ${WEBHOOK}, key: abc, signature: {secret: xyz, header: X}}]`,
    `triggers: [{id: hook, type: ${WEBHOOK}, key: "••••", signature: {secret: "••••", header: X}}]`,
  ],
  [
    "a copy in a comment and in a description",
    `# curl …/a/long-key-1\ndescription: "Call /long-key-1"\ntriggers: [{id: hook, type: ${WEBHOOK}, key: long-key-1}]`,
    `# curl …/a/••••\ndescription: "Call /••••"\ntriggers: [{id: hook, type: ${WEBHOOK}, key: "••••"}]`,
  ],
];

for (const [name, source, shown] of SOURCES) {
  Deno.test(`withoutWebhookKeys() hides ${name}, and leaves the rest of the source as it is`, () => {
    const flow = withoutWebhookKeys(flowOf(source));
    assertEquals(flow.source, shown);
    // What was parsed is what the shown source would give.
    assertEquals(flow.definition, parseFlowSource(shown).document);
    assertEquals(flow.triggers.map(({ properties }) => properties["key"]), ["••••"]);
  });
}

Deno.test("withoutWebhookKeys() leaves expressions, other triggers and ids as they are", () => {
  const source = `tasks: [{id: the-webhook, key: the-webhook2}]
triggers:
  - {id: hook, type: ${WEBHOOK}, key: "{{ secret('KEY') }}"}
  - {id: daily, type: core.trigger.Schedule, key: abcd}`;
  const flow = flowOf(source);
  assertEquals(withoutWebhookKeys(flow), flow);
  const named = withoutWebhookKeys(flowOf(`tasks: [{id: webhook-1}]
triggers: [{id: webhook-1, type: ${WEBHOOK}, key: webhook-1}]`));
  assertEquals(named.definition["tasks"], [{ id: "webhook-1" }]);
});

Deno.test("withoutTriggerKeys() hides the signing secret of an app of Slack", () => {
  const source =
    `triggers: [{id: app, type: slack.app.core.Trigger, key: "{{ secret('K') }}", signingSecret: s3cret}]`;
  const [trigger] = flowOf(source).triggers;
  const { properties = {} } = trigger ? withoutTriggerKeys(trigger) : {};
  assertEquals(isJsonObject(properties) && properties["signingSecret"], "••••");
  assertStringIncludes(String(properties["key"]), "secret('K')");
});

/** Texts of a flow that calls another one, and what a viewer reads instead. */
const ADDRESSES: readonly (readonly [text: string, shown: string])[] = [
  [
    "http://h/api/v1/main/executions/webhook/demo.team/f1/k3y",
    "http://h/api/v1/main/executions/webhook/demo.team/f1/••••",
  ],
  ["{{ vars.base }}webhook/demo/f1/k3y?wait=true", "{{ vars.base }}webhook/demo/f1/••••?wait=true"],
  [
    "/webhook/{{ flow.namespace }}/{{ vars['f'] }}/k3y/path",
    "/webhook/{{ flow.namespace }}/{{ vars['f'] }}/••••/path",
  ],
  [
    "POST /webhook/demo/f1/k3y, then (/webhook/demo/f2/k,3y).",
    "POST /webhook/demo/f1/••••, then (/webhook/demo/f2/••••).",
  ],
  ["/webhook/demo/f1/{{ secret('KEY') }}", "/webhook/demo/f1/{{ secret('KEY') }}"],
  [
    "/my-webhook/demo/f1/k3y /webhook/demo/f1 /webhook/demo/f1/",
    "/my-webhook/demo/f1/k3y /webhook/demo/f1 /webhook/demo/f1/",
  ],
];
for (const [text, shown] of ADDRESSES) {
  Deno.test(`withoutWebhookKeys() shows ${JSON.stringify(text)} of another flow as ${JSON.stringify(shown)}`, () => {
    const sourceOf = (value: string) =>
      `id: a\ntasks: [{id: call, uri: ${JSON.stringify(value)}}] # ${value}\ntriggers: []\n`;
    const { definition, source } = withoutWebhookKeys(flowOf(sourceOf(text)));
    assertEquals(source, sourceOf(shown));
    assertEquals(definition, parseFlowSource(sourceOf(shown)).document);
  });
}

Deno.test("withoutWebhookKeys() hides the key of an address that JSON writes with escaped slashes", () => {
  const { source } = withoutWebhookKeys(flowOf('{"uri": "http:\\/\\/h\\/webhook\\/demo\\/f1\\/k3y"}'));
  assertEquals(source, '{"uri": "http:\\/\\/h\\/webhook\\/demo\\/f1\\/••••"}');
});

Deno.test("withoutWebhookKeys() hides the copies of many keys in one pass, of two that begin alike the longer one", () => {
  const keys = Array.from({ length: 2_000 }, (_, index) => `the-key-${index}`);
  const triggers = keys.map((key, index) => `  - {id: hook${index}, type: ${WEBHOOK}, key: ${key}}`);
  const source = ["description: " + keys.join(" "), "triggers:", ...triggers].join("\n");
  const { definition, source: shown } = withoutWebhookKeys(flowOf(source));
  assertEquals(definition["description"], keys.map(() => "••••").join(" "));
  assertEquals(shown.includes("the-key"), false);
});
