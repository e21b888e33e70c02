/** Limits of what the package `kafkajs` reads of a broker. Version 2.2.4, the last one, believes the lengths that it reads. */

const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

interface Connection {
  /** Bytes of the response that arrives. */
  readonly bytesNeeded: number;
  readonly socket: { destroy(error: Error): void };
  /** What waits for a response to a log-in. */
  readonly authHandlers: { onError(): void } | null;
  processData(bytes: Uint8Array): void;
}

/** A module of the package. */
export interface ClassModule<T> {
  readonly default: { readonly prototype: T };
}

const limited = new WeakSet<object>();

/** Sets the limits, once. */
export function limitPackage({ default: connection }: ClassModule<Connection>): void {
  if (limited.has(connection)) return;
  limited.add(connection);
  limitResponses(connection.prototype);
}

/** A listener of the socket calls this: what it throws would end the process. */
function limitResponses(prototype: Connection): void {
  const { processData } = prototype;
  prototype.processData = function (bytes) {
    try {
      processData.call(this, bytes);
      if (this.bytesNeeded <= MAX_RESPONSE_BYTES) return;
      this.socket.destroy(new Error(`Cannot read a response: it has more than ${MAX_RESPONSE_BYTES} bytes`));
    } catch (cause) {
      this.socket.destroy(new Error("Cannot read a response: it is not one of Kafka", { cause }));
    }
    this.authHandlers?.onError();
  };
}
