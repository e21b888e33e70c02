/** The end of types of Kafka. */
import { assertRejects } from "@std/assert";
import { consume } from "../../../src/integrations/kafka/consume.ts";
import { produce } from "../../../src/integrations/kafka/produce.ts";
import { kafkaRealtimeTrigger } from "../../../src/integrations/kafka/realtime.ts";
import { runDefinition } from "../../support/flows/definition_run.ts";
import { Listening } from "../../support/flows/listen_definition.ts";

const name = "types of Kafka end with the signal, not with a time-out, although the server does not respond";
// The package tries to connect for another second, in vain: timers of its own remain.
Deno.test({ name, sanitizeOps: false, sanitizeResources: false }, async () => {
  using silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepted = silent.accept();
  const properties = { properties: { "bootstrap.servers": `127.0.0.1:${silent.addr.port}` }, topic: "t" };
  const stop = new AbortController();
  const sending = runDefinition(produce, { ...properties, from: { value: 1 } }, { signal: stop.signal });
  using _connection = await accepted;
  stop.abort();
  await assertRejects(() => sending, Error, "The work was stopped");
  const consuming = runDefinition(consume, properties, { signal: stop.signal });
  await assertRejects(() => consuming, Error, "The work was stopped");
  const listened = { ...properties, groupId: "g" };
  await using listening = new Listening(kafkaRealtimeTrigger, listened, () => {}, { isStopped: true });
  await assertRejects(() => listening.ended, Error, "The work was stopped");
});
