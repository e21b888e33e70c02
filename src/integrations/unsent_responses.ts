/** Responses that a server asks for, and then may not read. */
import type { Duplex } from "node:stream";

/** Bytes of responses that wait to be sent. */
const MAX_UNSENT_BYTES = 1024 * 1024;

/** Counts the responses of a connection that are not sent yet. */
export class UnsentResponses {
  #bytes = 0;

  /** Writes a response; resolves when it is sent. @throws Error the server does not read what it asks for */
  write(socket: Duplex, bytes: Uint8Array): Promise<void> {
    if (this.#bytes > MAX_UNSENT_BYTES) {
      throw new Error("The server does not read the responses that it asks for");
    }
    this.#bytes += bytes.length;
    return new Promise((resolve) =>
      socket.write(bytes, () => {
        this.#bytes -= bytes.length;
        resolve();
      })
    );
  }
}
