/** Inputs of type SECRET on a complete server: in clear in templates only. */
import { assert, assertEquals } from "@std/assert";
import type { JsonObject, JsonValue } from "../../src/base/json.ts";
import { stringifyJson } from "../../src/base/json.ts";
import { Logger } from "../../src/base/log.ts";
import type { Execution } from "../../src/model/executions/execution.ts";
import type { Flow } from "../../src/model/flows/flow.ts";
import { SecretInputs } from "../../src/rendering/secret_inputs.ts";
import { ENCRYPTED_TYPE } from "../../src/model/flows/input_value.ts";
import { EventReader } from "../http/event_reader.ts";
import { FakeClock, settle } from "../support/fakes/fake_clock.ts";
import { EFFECT_TYPE, type ExecutionResponse, Harness } from "../support/harness.ts";
import { masked } from "../support/masked.ts";

const SECRET = "correct-horse-battery";
const STARS = masked(SECRET.length);
const RETURN = "io.svc.plugin.core.debug.Return";
const LOG = "io.svc.plugin.core.log.Log";

const FLOW = `id: login
namespace: demo
inputs:
- {id: password, type: SECRET, validator: "[a-z-]+"}
- {id: db.password, type: SECRET, defaults: default-of-the-database}
- {id: none, type: SECRET, required: false}
- {id: name, type: STRING, defaults: Ada}
tasks:
- {id: tell, type: ${LOG}, message: "{{ inputs.name }}: {{ inputs.password }} {{ inputs.db.password }}"}
- {id: act, type: ${EFFECT_TYPE}, name: "{{ inputs.password }}"}
- {id: inputs, type: ${LOG}, message: "{{ inputs }} {{ inputs.none is defined }}"}
`;

async function messages(app: Harness, id: JsonValue | undefined): Promise<string[]> {
  const lines = await app.json("GET", `/logs/${id}`) as unknown as { message: string }[];
  return lines.map(({ message }) => message);
}

/** Texts of all stored rows. */
async function storedText(app: Harness): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const { key, value } of app.store.list({ prefix: [] })) {
    text += `${key.join("/")} ${decoder.decode(value)}\n`;
  }
  return text;
}

Deno.test("a SECRET is encrypted in every response and at rest, in clear for tasks, stars in logs", async () => {
  const names: JsonValue[] = [];
  const written: string[] = [];
  const clock = new FakeClock();
  const logger = new Logger({
    level: "debug",
    format: "text",
    clock,
    write: (line) => void written.push(line),
  });
  const effect = ({ name = null }: JsonObject) => {
    names.push(name);
    return { state: "SUCCESS" as const };
  };
  await using app = await Harness.start({ effect, logger });
  await app.save(FLOW);
  const started = await app.start("login", { password: SECRET });
  const inputs = started.inputs as unknown as { password: { type: string; value: string } };
  assertEquals(inputs.password.type, ENCRYPTED_TYPE);
  assert(/^[A-Za-z0-9+/]{60,}=*$/.test(inputs.password.value), inputs.password.value);
  await settle();
  assertEquals(names, [SECRET]);
  assertEquals((await messages(app, started.id)).slice(0, 1), [
    `Ada: ${STARS} ${"*".repeat("default-of-the-database".length)}`,
  ]);
  assertEquals((await app.execution(started.id)).inputs, started.inputs);
  const answers = [
    started,
    await app.execution(started.id),
    await app.json("GET", "/executions/search"),
    await app.json("GET", `/logs/${started.id}`),
  ];
  const seen = [...written, ...answers.map((answer) => stringifyJson(answer))].join("\n");
  assert(!seen.includes(SECRET) && !seen.includes("of-the-database"), seen);
  await using events = new EventReader(await app.request("GET", `/executions/${started.id}/follow`));
  await settle();
  assert(events.events.length > 0 && !stringifyJson(events.events).includes(SECRET));
  const stored = await storedText(app);
  assert(stored.includes(inputs.password.value) && !stored.includes(SECRET));
});

/** Sent value, and what the refusal says. */
const REFUSED: readonly [string, Record<string, string>, string][] = [
  [
    "a value that does not match",
    { password: "Secret-1" },
    "it must match the pattern `[a-z-]+`, but received `********`",
  ],
  ["none", {}, "missing required input, but received `null`"],
  ["an empty one", { password: "" }, "missing required input, but received `null`"],
];

for (const [name, form, expected] of REFUSED) {
  Deno.test(`POST /executions/{ns}/{flow} with ${name} for a SECRET is 422 and does not repeat it`, async () => {
    await using app = await Harness.start();
    await app.save(FLOW);
    const body = new URLSearchParams(form);
    const response = await app.request("POST", "/executions/demo/login", { body });
    const text = await response.text();
    assertEquals(response.status, 422);
    assert(text.includes(expected) && !text.includes("Secret-1"), text);
  });
}

/** What a caller sends as the secret, and it is a text all the same. */
const FORGED = [
  `{"type":"${ENCRYPTED_TYPE}","value":"AAAA"}`,
  "{{ 7 * 7 }}",
  "{{ secret('A') }}",
  "\uFEFFmark",
  "🎉",
];

for (const text of FORGED) {
  Deno.test(`a SECRET is the text that was sent: ${JSON.stringify(text)}`, async () => {
    await using app = await Harness.start();
    const execution = await app.run(
      `id: echo\nnamespace: demo\ninputs:\n- {id: s, type: SECRET}\ntasks:\n- {id: t, type: ${RETURN}, format: "{{ inputs.s }}"}\n`,
      { s: text },
    );
    assertEquals(execution.taskRunList[0]?.outputs.value, text);
  });
}

Deno.test("a ciphertext is decrypted neither for another flow nor for an input of another type", async () => {
  await using app = await Harness.start();
  const { inputs } = await app.run(FLOW, { password: SECRET });
  const sealed = stringifyJson((inputs as JsonObject).password);
  const other = FLOW.replace("id: login", "id: other").replace(
    "password, type: SECRET",
    "password, type: JSON",
  )
    .replace(', validator: "[a-z-]+"', "");
  const execution = await app.run(other, { password: sealed });
  assert(!stringifyJson(execution as unknown as JsonValue).includes(SECRET));
  assertEquals((await messages(app, execution.id))[0], `Ada: ${sealed} ${masked(23)}`);
});

/** A flow that stops between two uses of its secret. */
const SLEEPER = `id: sleeper
namespace: demo
inputs:
- {id: s, type: SECRET}
tasks:
- {id: keep, type: ${RETURN}, format: "{{ inputs.s }}"}
- {id: wait, type: io.svc.plugin.core.flow.Sleep, duration: PT10M}
- {id: tell, type: ${LOG}, message: "{{ outputs.keep.value }}"}
- {id: again, type: ${RETURN}, format: "{{ inputs.s }}!"}
`;

async function sleeping(): Promise<{ app: Harness; execution: ExecutionResponse }> {
  const app = await Harness.start();
  return { app, execution: await app.run(SLEEPER, { s: SECRET }) };
}

for (const how of ["crash", "restart"] as const) {
  Deno.test(`after a ${how} a SECRET is still encrypted, readable and masked, also where an output repeats it`, async () => {
    const { app, execution } = await sleeping();
    await using next = await app[how]();
    assertEquals((await next.execution(execution.id)).inputs, execution.inputs);
    await next.advance(600_000);
    const ended = await next.execution(execution.id);
    assertEquals([ended.state.current, ended.taskRunList[3]?.outputs.value], ["SUCCESS", `${SECRET}!`]);
    const lines = await messages(next, execution.id);
    assert(lines.includes(STARS) && !lines.some((line) => line.includes(SECRET)), lines.join("\n"));
  });
}

Deno.test("a secret of the namespace stays masked after a wait, a crash and a restart", async () => {
  const secrets = new Map([["TOKEN", btoa(SECRET)], ["JSON", btoa('{"user":"ada-lovelace"}')]]);
  const app = await Harness.start({ secrets });
  const { id } = await app.run(`id: waiting
namespace: demo
inputs:
- {id: name, type: STRING, defaults: TOKEN}
tasks:
- {id: keep, type: ${RETURN}, format: "{{ secret(inputs.name) }} {{ secret('JSON', subkey='user') }}"}
- {id: first, type: io.svc.plugin.core.flow.Sleep, duration: PT1M}
- {id: one, type: ${LOG}, message: "1 {{ outputs.keep.value }}"}
- {id: second, type: io.svc.plugin.core.flow.Sleep, duration: PT1M}
- {id: two, type: ${LOG}, message: "2 {{ outputs.keep.value }}"}
- {id: third, type: io.svc.plugin.core.flow.Sleep, duration: PT1M}
- {id: three, type: ${LOG}, message: "3 {{ outputs.keep.value }} {{ secret('NONE') ?? '' }}"}
`);
  await app.advance(60_000);
  const second = await app.crash();
  await second.advance(60_000);
  await using third = await second.restart();
  await third.advance(60_000);
  assertEquals((await third.execution(id)).state.current, "FAILED");
  const line = `${STARS} ${"*".repeat("ada-lovelace".length)}`;
  assertEquals(await messages(third, id), [
    line,
    "Waiting for PT1M",
    `1 ${line}`,
    "Waiting for PT1M",
    `2 ${line}`,
    "Waiting for PT1M",
    "Cannot find secret for key 'NONE'. It does not exist in the namespace 'demo' " +
    "in the expression `{{ secret('NONE') ?? '' }}` at line 1",
  ]);
});

Deno.test("with another key a SECRET cannot be read: the task fails and its log says why", async () => {
  const { app, execution } = await sleeping();
  await using next = await app.crash({ encryptionKey: new Uint8Array(32).fill(8) });
  await next.advance(600_000);
  const ended = await next.execution(execution.id);
  assertEquals(ended.state.current, "FAILED");
  assertEquals(ended.inputs, execution.inputs);
  const last = (await messages(next, execution.id)).at(-1);
  assertEquals(
    last,
    'Cannot read input "s": it was changed or encrypted with another key; start the execution again ' +
      "in the expression `{{ inputs.s }}` at line 1",
  );
});

/** An expression that a person evaluates, and its result. */
const EVALUATED: readonly [string, JsonValue | undefined][] = [
  ["{{ inputs.s.type }}", ENCRYPTED_TYPE],
  ["{{ inputs.s | json | upper | split(',') | first }}", `{"TYPE":"${ENCRYPTED_TYPE.toUpperCase()}"`],
  ["{{ inputs['s']['value'] is empty }}", "false"],
  ["{{ outputs.ask.onResume.pin.type }}", ENCRYPTED_TYPE],
  ["{{ outputs.keep.value }}", "******"],
  ["is {{ outputs.keep.value }}!", "is ******!"],
];

Deno.test("POST /executions/:id/eval decrypts nothing, and masks a SECRET that a task printed", async () => {
  await using app = await Harness.start();
  const { id } = await app.run(
    `id: tried
namespace: demo
inputs:
- {id: s, type: SECRET}
tasks:
- {id: keep, type: ${RETURN}, format: "{{ inputs.s }}"}
- {id: ask, type: io.svc.plugin.core.flow.Pause, onResume: [{id: pin, type: SECRET}]}
`,
    { s: SECRET },
  );
  await app.json("POST", `/executions/${id}/resume`, { body: new URLSearchParams({ pin: SECRET }) });
  await settle();
  const results: [string, JsonValue | undefined][] = [];
  for (const [body] of EVALUATED) {
    const { result } = await app.json("POST", `/executions/${id}/eval`, { body }) as JsonObject;
    results.push([body, result]);
  }
  assertEquals(results, [...EVALUATED]);
});

Deno.test("secrets in error messages of conditions and outputs are masked", async () => {
  await using app = await Harness.start();
  const execution = await app.run(
    `id: errors
namespace: demo
inputs:
- {id: s, type: SECRET}
outputs:
- {id: o, value: "{{ inputs.s | number }}"}
tasks:
- {id: t, type: ${RETURN}, format: x, runIf: "{{ inputs.s | number }}", allowFailure: true}
- {id: u, type: ${RETURN}, format: "{{ inputs.s | number }}", allowFailure: true}
`,
    { s: SECRET },
  );
  const lines = await messages(app, execution.id);
  assert(lines.length >= 2, lines.join("\n"));
  assert(lines.some((line) => line.includes(STARS)), lines.join("\n"));
  assert(!lines.some((line) => line.includes(SECRET)), lines.join("\n"));
});

Deno.test("10,000 SECRET inputs are decrypted together, in groups too, and the stored ones stay", () => {
  const ids = Array.from({ length: 5_000 }, (_, n) => [`s${n}`, `group.s${n}`]).flat();
  const sealed = (text: string) => ({ type: ENCRYPTED_TYPE, value: text });
  const all = (of: (text: string) => JsonValue) =>
    Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`s${n}`, of(`s${n}`)]));
  const stored = { ...all(sealed), group: all(sealed), name: "Ada" };
  const before = stringifyJson(stored);
  const flow = { inputs: ids.map((id) => ({ id, type: "SECRET" })) } as unknown as Flow;
  const openInput = (_flow: Flow, value: JsonValue) => String((value as JsonObject).value);
  const secrets = new SecretInputs(flow, { inputs: stored } as unknown as Execution, { openInput });
  assertEquals(secrets.inputs, { ...all(String), group: all(String), name: "Ada" });
  assertEquals([secrets.values.length, stringifyJson(stored)], [10_000, before]);
});
