/** Reads event streams in tests. */
import { settle } from "../support/fakes/fake_clock.ts";

/** An event as received. */
export interface ReceivedEvent {
  readonly id?: string;
  // deno-lint-ignore no-explicit-any -- tests look at members of whatever came
  readonly data: any;
}

/** Collects the events of a stream as they arrive. */
export class EventReader implements AsyncDisposable {
  readonly events: ReceivedEvent[] = [];
  /** The server has ended the stream. */
  isEnded = false;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #done: Promise<void>;

  constructor(response: Response) {
    if (!response.body) throw new Error("The answer has no body");
    this.#reader = response.body.getReader();
    this.#done = this.#read();
  }

  /** Ids of the received events; `-` for an event without one. */
  get ids(): string {
    return this.events.map(({ id = "-" }) => id).join(" ");
  }

  /** Closes the connection. */
  async leave(): Promise<void> {
    await this.#reader.cancel();
    await settle();
  }

  /** @inheritdoc */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader.cancel();
    await this.#done;
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    let text = "";
    for (;;) {
      const { done, value } = await this.#reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
      const parts = text.split("\n\n");
      text = parts.pop() ?? "";
      for (const part of parts) this.#add(part);
    }
    this.isEnded = true;
  }

  #add(part: string): void {
    if (part.startsWith(":")) return;
    const id = /^id: (.*)$/m.exec(part)?.[1];
    this.events.push({ id, data: JSON.parse(/^data: (.*)$/m.exec(part)?.[1] ?? "null") });
  }
}
