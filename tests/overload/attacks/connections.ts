/** Connections that send nothing, or next to nothing. */
import type { Attack, AttackSettings } from "./attack.ts";
import { untilAborted } from "./attack.ts";

const TRICKLING = 1_000;
/** Connections that are opened at the same time. */
const AT_ONCE = 50;
const encoder = new TextEncoder();

/** As many connections as the settings say, none of which sends a byte. */
export const idleConnections: Attack = {
  name: "idle",
  async run(settings, ready) {
    const pool = new Pool(settings);
    await pool.open(settings.connections, () => "");
    ready();
    await untilAborted(settings.signal);
    pool.close();
  },
};

/** Connections that send a byte a second, half of them of a head and half of a body. */
export const tricklingConnections: Attack = {
  name: "trickle",
  async run(settings, ready) {
    const pool = new Pool(settings);
    const { authorization } = settings.target.headers;
    const body =
      `POST ${settings.target.startPath} HTTP/1.1\r\nhost: localhost\r\nauthorization: ${authorization}\r\n` +
      "content-type: multipart/form-data; boundary=b\r\ncontent-length: 100000\r\n\r\n--b\r\n";
    await pool.open(TRICKLING, (index) => index % 2 === 0 ? "GET / HTTP/1.1\r\nx-trickle: " : body);
    ready();
    while (!settings.signal.aborted) {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      await pool.sendAll("x");
    }
    pool.close();
  },
};

/** Open connections. Whatever the server sends is dropped. */
class Pool {
  readonly #settings: AttackSettings;
  readonly #open = new Set<Deno.TcpConn>();
  #opened = 0;
  #refused = 0;
  #closedByServer = 0;

  constructor(settings: AttackSettings) {
    this.#settings = settings;
  }

  async open(count: number, firstBytes: (index: number) => string): Promise<void> {
    const { hostname, port } = new URL(this.#settings.target.url);
    const openOne = async (index: number) => {
      if (this.#settings.signal.aborted) return;
      try {
        const connection = await Deno.connect({ hostname, port: Number(port) });
        this.#opened++;
        this.#open.add(connection);
        void this.#drop(connection);
        const bytes = encoder.encode(firstBytes(index));
        if (bytes.length > 0) await connection.write(bytes);
      } catch {
        this.#refused++;
      }
      this.#report();
    };
    for (let first = 0; first < count; first += AT_ONCE) {
      const length = Math.min(AT_ONCE, count - first);
      await Promise.all(Array.from({ length }, (_, offset) => openOne(first + offset)));
    }
  }

  async sendAll(text: string): Promise<void> {
    const bytes = encoder.encode(text);
    await Promise.all([...this.#open].map((connection) => connection.write(bytes).catch(() => 0)));
  }

  close(): void {
    for (const connection of this.#open) connection.close();
    this.#open.clear();
  }

  async #drop(connection: Deno.TcpConn): Promise<void> {
    const buffer = new Uint8Array(512);
    while (await connection.read(buffer).catch(() => null) !== null) continue;
    if (!this.#open.delete(connection)) return;
    connection.close();
    this.#closedByServer++;
    this.#report();
  }

  #report(): void {
    const refused = this.#refused > 0 ? `, ${this.#refused} refused` : "";
    this.#settings.report(`${this.#opened} opened${refused}, ${this.#closedByServer} closed by the server`);
  }
}
