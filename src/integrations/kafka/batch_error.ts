/** The error of a batch of messages that cannot be read: it names the place, since the group stays there. */
import type { Buffer } from "node:buffer";

/** Its place becomes known from the inside to the outside. */
export class BatchError extends Error {
  readonly #reason: string;
  readonly #firstOffset: bigint;
  #partition: number | undefined;

  constructor(firstOffset: bigint, cause: unknown) {
    const { message } = cause as Error;
    super(message, { cause });
    this.#reason = message;
    this.#firstOffset = firstOffset;
  }

  /** Adds the partition, then the topic, from the bytes that begin with it. */
  within(bytes: Buffer): void {
    if (this.#partition === undefined) {
      this.#partition = bytes.readInt32BE(0);
      return;
    }
    const topic = bytes.toString("utf8", 2, 2 + bytes.readInt16BE(0));
    const place = `offset ${this.#firstOffset} of partition ${this.#partition} of the topic "${topic}"`;
    this.message =
      `${this.#reason}; the batch begins at ${place}: to continue, move the position of the group behind it with the tools of Kafka`;
  }
}
