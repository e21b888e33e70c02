import { assertEquals } from "@std/assert";
import type { Flow, Trigger } from "../../../src/model/flows/flow.ts";
import { RenderedKeys } from "../../../src/services/webhooks/rendered_keys.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";
import { Harness } from "../../support/harness.ts";
import { json, yaml } from "../../support/flows/request_bodies.ts";
import { triggeredFlow } from "../../support/flows/triggers.ts";

/** A key, and whether its second call is rendered again: at once, and after a minute. */
const KEYS: readonly (readonly [key: string, atOnce: boolean, later: boolean])[] = [
  ["plain", false, false],
  ["{{ secret('HOOK') }}", false, false],
  ["{{ vars.hook | upper }}", false, false],
  ["{{ secret ( 'HOOK' ) ~ vars.hook }}", false, false],
  ["{{ kv('hook') }}", false, true],
  ["{{ secret('HOOK') }}{{ kv('hook') }}", false, true],
  ["{{ now() }}", true, true],
  ["{{ secret('HOOK') }}{{ randomInt (1, 9) }}", true, true],
  ["{{ render(vars.hook) }}", true, true],
];

for (const [key, atOnce, later] of KEYS) {
  Deno.test(`a webhook key ${key} is rendered again ${atOnce ? "" : "only "}when its value may have changed`, async () => {
    const clock = new FakeClock();
    const sources = { secrets: { writeCount: 0 }, kvPairs: { writeCount: 0 } };
    let renders = 0;
    const renderer = {
      text: () => Promise.resolve(`key ${++renders}`),
      value: () => Promise.reject(new Error()),
    };
    const keys = new RenderedKeys({ clock, renderer, ...sources });
    const trigger = { properties: { key } } as unknown as Trigger;
    const rendersAgain = async () => {
      const before = renders;
      const text = await keys.of({} as Flow, trigger);
      assertEquals(text, key === "plain" ? key : `key ${renders}`);
      return renders > before;
    };
    assertEquals(await rendersAgain(), key !== "plain");
    assertEquals(await rendersAgain(), atOnce);
    await clock.advance(60_000);
    assertEquals(await rendersAgain(), later);
    sources.kvPairs.writeCount++;
    assertEquals(await rendersAgain(), later, "after a write of a KV pair");
    sources.secrets.writeCount++;
    assertEquals(await rendersAgain(), key !== "plain", "after a write of a secret");
  });
}

Deno.test("a webhook key that renders to nothing is rendered again after ten seconds only", async () => {
  const clock = new FakeClock();
  const sources = { secrets: { writeCount: 0 }, kvPairs: { writeCount: 0 } };
  let renders = 0;
  const renderer = {
    text: () => Promise.resolve(++renders === 1 ? " " : "key"),
    value: () => Promise.reject(new Error()),
  };
  const keys = new RenderedKeys({ clock, renderer, ...sources });
  const trigger = { properties: { key: "{{ secret('HOOK') }}" } } as unknown as Trigger;
  const key = () => keys.of({} as Flow, trigger);
  assertEquals([await key(), await key(), renders], [undefined, undefined, 1]);
  await clock.advance(10_000);
  assertEquals([await key(), renders], ["key", 2]);
});

Deno.test("a secret that is written while a key is rendered is in the next key", async () => {
  const secrets = { writeCount: 0 };
  let value = "old";
  const renderer = {
    text: () => {
      const text = value;
      value = "new";
      secrets.writeCount++;
      return Promise.resolve(text);
    },
    value: () => Promise.reject(new Error()),
  };
  const keys = new RenderedKeys({ clock: new FakeClock(), renderer, secrets, kvPairs: { writeCount: 0 } });
  const trigger = { properties: { key: "{{ secret('HOOK') }}" } } as unknown as Trigger;
  assertEquals([await keys.of({} as Flow, trigger), await keys.of({} as Flow, trigger)], ["old", "new"]);
});

async function statusOf(app: Harness, key: string): Promise<number> {
  const response = await app.request("POST", `/executions/webhook/demo/w/${key}`, { body: "{}" });
  await response.body?.cancel();
  return response.status;
}

function source(key: string, hook: string): string {
  const trigger = { type: "io.kestra.plugin.core.trigger.Webhook", key };
  return triggeredFlow("w", trigger, { variables: { hook } });
}

/** A key, and how its value is changed from `one` to `two`. */
const CHANGES:
  readonly (readonly [key: string, change: (app: Harness, value: string) => Promise<unknown>])[] = [
    [
      "{{ secret('HOOK') }}",
      (app, value) => app.json("PUT", "/namespaces/demo/secrets", json({ key: "HOOK", value })),
    ],
    ["{{ kv('hook') }}", (app, value) => app.json("PUT", "/namespaces/demo/kv/hook", { body: `"${value}"` })],
    [
      "{{ vars.hook }}",
      (app, value) =>
        app.json("PUT", "/flows/demo/w", { ...yaml(source("{{ vars.hook }}", value)), method: "PUT" }),
    ],
  ];

for (const [key, change] of CHANGES) {
  Deno.test(`a change of ${key} is a change of the webhook key at once`, async () => {
    await using app = await Harness.start();
    await app.save(source(key, "one"));
    for (const [value, other] of [["one", "two"], ["two", "one"]] as const) {
      await change(app, value);
      assertEquals([await statusOf(app, value), await statusOf(app, other), await statusOf(app, value)], [
        200,
        404,
        200,
      ]);
    }
  });
}

Deno.test("a removed secret closes its webhook at once", async () => {
  await using app = await Harness.start();
  await app.save(source("{{ secret('HOOK') }}", ""));
  await app.json("PUT", "/namespaces/demo/secrets", json({ key: "HOOK", value: "one" }));
  assertEquals(await statusOf(app, "one"), 200);
  await app.json("DELETE", "/namespaces/demo/secrets/HOOK");
  assertEquals(await statusOf(app, "one"), 404);
});
