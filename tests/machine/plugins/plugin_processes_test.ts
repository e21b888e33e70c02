/** Limits of the processes of plugins, on a clock of the test. */
import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { PluginProcesses } from "../../../src/machine/plugins/plugin_processes.ts";
import type { RealtimeContext, TriggerContext } from "../../../src/model/triggers/trigger_definition.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";
import { withTempDir } from "../../support/temp_dir.ts";

const TRIGGER = { tenant: "main", namespace: "demo", flowId: "f", triggerId: "t" };
const codeOf = (member: string) => `export default defineTrigger({ ${member} })`;

/** What a poll logs, registers and sets. */
class Polled implements AsyncDisposable {
  readonly #closings: (() => Promise<void>)[] = [];
  confirm = () => Promise.resolve();
  readonly #begun = Promise.withResolvers<void>();
  readonly begun = this.#begun.promise;

  context(signal: AbortSignal): TriggerContext {
    return {
      trigger: TRIGGER,
      signal,
      log: () => this.#begun.resolve(),
      state: { get: () => undefined, set: () => {} },
      whenDurable: (confirm: () => Promise<void>) => void (this.confirm = confirm),
      whenOver: (close: () => Promise<void>) => void this.#closings.push(close),
    } as unknown as TriggerContext;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const close of this.#closings) await close();
  }
}

function poll(processes: PluginProcesses, member: string, context: TriggerContext, directory: string) {
  const work = {
    fileName: "a.js",
    code: codeOf(member),
    net: [],
    directory,
    maxFileBytes: 1_000,
    properties: {},
    trigger: TRIGGER,
  };
  return processes.poll({ ...work, type: "poll" }, context, 5_000);
}

const messageOf = (error: Error) => error.message;
const NEVER = new AbortController().signal;

Deno.test("PluginProcesses.poll() ends code at its time limit, and what follows a poll at another one", async () => {
  await withTempDir(async (directory) => {
    const clock = new FakeClock(), processes = new PluginProcesses(clock);
    const loop = 'console.log("begins"); for (;;);';
    await using endless = new Polled();
    const ended = poll(processes, `poll() { ${loop} }`, endless.context(NEVER), directory).catch(messageOf);
    await endless.begun;
    await clock.advance(5_000);
    await clock.advance(500);
    assertEquals(await ended, "a.js: the poll took longer than 5 s");

    await using late = new Polled();
    const member = `poll({ whenDurable }) { whenDurable(async () => { ${loop} }); return { a: 1 }; }`;
    assertEquals(await poll(processes, member, late.context(NEVER), directory), { a: 1 });
    await clock.advance(60_000);
    const confirmed = late.confirm().catch(messageOf);
    await late.begun;
    await clock.advance(5_000);
    await clock.advance(500);
    assertEquals(await confirmed, "a.js: what follows a poll took longer than 5 s");
  });
});

Deno.test("PluginProcesses.realtime() runs a bounded number of connections, and attempts beside them", async () => {
  const processes = new PluginProcesses(new FakeClock(), { maxConnections: 1 });
  const stop = new AbortController();
  const begun = Promise.withResolvers<void>();
  const context = {
    signal: stop.signal,
    connected: begun.resolve,
    log: () => {},
  } as unknown as RealtimeContext;
  const code = codeOf(
    "async realtime({ connected, signal }) { connected(); await new Promise((end) => signal.onabort = end); }",
  );
  const work = {
    type: "realtime",
    fileName: "a.js",
    code,
    net: [],
    properties: {} as JsonObject,
    trigger: TRIGGER,
  } as const;
  const first = processes.realtime(work, context);
  await begun.promise;
  assertEquals(
    await processes.realtime(work, context).catch(messageOf),
    "Cannot run: there are 1 realtime triggers of plugins already",
  );
  stop.abort();
  await first;
  assertEquals(
    await processes.realtime({ ...work, code: codeOf("realtime() {}") }, { ...context, signal: NEVER }),
    undefined,
  );
});

Deno.test("PluginProcesses.describe() ends a file that does not load", async () => {
  const clock = new FakeClock(), processes = new PluginProcesses(clock);
  const described = processes.describe("a.js", "for (;;);").catch(messageOf);
  await clock.advance(30_000);
  await clock.advance(500);
  assertEquals(await described, "a.js: it did not load within 30 seconds");
});
