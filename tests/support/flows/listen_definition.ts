/** Runs a realtime trigger without a server, over real sockets. */
import { systemClock } from "../../../src/base/time/clock.ts";
import type { JsonObject } from "../../../src/base/json.ts";
import { HttpClient } from "../../../src/machine/http_client/http_client.ts";
import { ListenPolicy } from "../../../src/machine/listen_policy.ts";
import type { ListenerContext } from "../../../src/model/triggers/machine_trigger.ts";
import type { RealtimeDefinition, TriggerMessage } from "../../../src/model/triggers/trigger_definition.ts";
import { connectAddress, sendRequest } from "../../../src/tasks/definition/send_request.ts";
import { typedProperties } from "../../../src/tasks/definition/typed_properties.ts";

/** A connection of a realtime trigger. */
export class Listening implements AsyncDisposable {
  /** Messages in the order of their arrival. */
  readonly messages: TriggerMessage[] = [];
  /** `LEVEL message`. */
  readonly logs: string[] = [];
  /** Resolves when the connection works. */
  readonly connected: Promise<void>;
  /** Settles when the trigger has ended. */
  readonly ended: Promise<void>;
  readonly #stopping = new AbortController();

  /** `taken` decides about each message; it throws to have it delivered again. With `isStopped` it is stopped before it begins. */
  constructor(
    definition: RealtimeDefinition,
    properties: JsonObject,
    taken: (message: TriggerMessage) => void = () => {},
    { isStopped = false } = {},
  ) {
    const { signal } = this.#stopping;
    if (isStopped) this.#stopping.abort();
    const http = new HttpClient({ clock: systemClock, random: () => 0.5, userAgent: "test" });
    const connected = Promise.withResolvers<void>();
    this.connected = connected.promise;
    const context: ListenerContext = {
      properties: typedProperties(properties, definition.properties),
      signal,
      trigger: { tenant: "main", namespace: "demo", flowId: "h", triggerId: "watch" },
      log: (level, message) => void this.logs.push(`${level} ${message}`),
      listenAddress: (host) => new ListenPolicy().addressFor("main", host),
      connected: connected.resolve,
      emit: async (variables, options) => {
        const message = { variables, ...options };
        await Promise.resolve(taken(message));
        this.messages.push(message);
      },
      connectAddress: (host, port) => connectAddress(host, port, { http, signal }),
      http: (request) => sendRequest(request, { http, signal, directory: () => Promise.resolve("/") }),
    };
    this.ended = definition.realtime(context);
    this.ended.catch(() => {}); // Read by the test.
  }

  /** Stops the trigger and waits for its end. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.ended.catch(() => {});
  }
}
