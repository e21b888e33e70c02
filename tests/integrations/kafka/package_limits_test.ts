/** What the package reads of a broker has limits. */
import { assertRejects } from "@std/assert";
import { Buffer } from "node:buffer";
import { produce } from "../../../src/integrations/kafka/produce.ts";
import { runDefinition } from "../../support/flows/definition_run.ts";

/** Answers whatever it is sent with the same bytes. */
class HostileBroker implements AsyncDisposable {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #accepting: Promise<void>;

  constructor(answer: Uint8Array) {
    this.#accepting = this.#accept(answer);
  }

  get servers(): string {
    return `127.0.0.1:${this.#listener.addr.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    await this.#accepting;
  }

  async #accept(answer: Uint8Array): Promise<void> {
    const served: Promise<void>[] = [];
    for await (const { readable, writable } of this.#listener) {
      const answers = new TransformStream<Uint8Array, Uint8Array>({
        transform: (_, controller) => controller.enqueue(answer),
      });
      served.push(readable.pipeThrough(answers).pipeTo(writable).catch(() => {})); // The client has closed.
    }
    await Promise.all(served);
  }
}

const RESPONSES: readonly (readonly [name: string, hex: string, error: string])[] = [
  ["of no bytes", "00000000", "it is not one of Kafka"],
  ["of -1 bytes", "ffffffff", "it is not one of Kafka"],
  ["of -4 bytes", "fffffffc", "it is not one of Kafka"],
  ["of -16 bytes", "fffffff0", "it is not one of Kafka"],
  ["that is too short for its number", "00000002aaaa", "it is not one of Kafka"],
  ["of more than 64 MiB", "04000001", "it has more than 67108864 bytes"],
];
for (const [name, hex, error] of RESPONSES) {
  Deno.test(`a response ${name} fails the task, not the process`, async () => {
    await using broker = new HostileBroker(Buffer.from(hex, "hex"));
    const properties = { properties: { "bootstrap.servers": broker.servers }, topic: "t" };
    await assertRejects(
      () => runDefinition(produce, { ...properties, from: { value: 1 } }),
      Error,
      `Cannot read a response: ${error}`,
    );
  });
}
