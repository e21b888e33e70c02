/** Proxies: HTTP CONNECT (RFC 9110), SOCKS version 5 (RFC 1928, RFC 1929). */
import { basicCredentials } from "../../model/http/http_request.ts";
import { HttpError, type HttpProxy, type NamedText } from "../../model/ports/http.ts";
import { ResponseReader } from "./response_reader.ts";
import type { Connection } from "./connection.ts";
import { RequestWriter } from "./request_writer.ts";

/** The server to connect to. */
interface ProxyTarget {
  readonly host: string;
  readonly port: number;
}

/** The credentials for a proxy. */
export function proxyHeaders({ username, password = "" }: HttpProxy): readonly NamedText[] {
  return username === undefined ? [] : [["Proxy-Authorization", basicCredentials(username, password)]];
}

/** Opens a tunnel through an HTTP proxy. @throws HttpError */
export async function openTunnel(
  connection: Connection,
  proxy: HttpProxy,
  { host, port }: ProxyTarget,
): Promise<void> {
  const target = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const writer = new RequestWriter(connection);
  await writer.head({ method: "CONNECT", target }, [["Host", target], ...proxyHeaders(proxy)]);
  await writer.flush();
  const { code } = await new ResponseReader(connection).head();
  if (code >= 300) throw new HttpError(`the proxy responded with ${code}`);
}

/** Connects through a SOCKS proxy, which resolves the name. @throws HttpError */
export async function openSocks(
  connection: Connection,
  { username, password = "" }: HttpProxy,
  { host, port }: ProxyTarget,
): Promise<void> {
  const reader = new SocksReader(connection);
  await connection.write(new Uint8Array(username === undefined ? [5, 1, 0] : [5, 2, 0, 2]));
  const [, method] = await reader.read(2);
  if (method === 2) {
    await connection.write(new Uint8Array([1, ...lengthAndText(username ?? ""), ...lengthAndText(password)]));
    const [, refused] = await reader.read(2);
    if (refused !== 0) throw new HttpError("the proxy does not accept its user name and password");
  } else if (method !== 0) throw new HttpError("the proxy requires another authentication method");
  await connection.write(new Uint8Array([5, 1, 0, 3, ...lengthAndText(host), port >> 8, port & 255]));
  const [, reply, , kind] = await reader.read(4);
  if (reply !== 0) throw new HttpError(`the proxy cannot connect (SOCKS reply ${reply})`);
  const length = kind === 1 ? 4 : kind === 4 ? 16 : (await reader.read(1))[0] ?? 0;
  await reader.read(length + 2);
}

function lengthAndText(text: string): number[] {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > 255) throw new HttpError("a name is too long for a SOCKS proxy");
  return [bytes.length, ...bytes];
}

/** Reads replies. A proxy sends nothing unrequested, so nothing is left after the last reply. */
class SocksReader {
  readonly #connection: Connection;
  #bytes: number[] = [];

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async read(count: number): Promise<number[]> {
    while (this.#bytes.length < count) {
      const bytes = await this.#connection.read();
      if (!bytes) throw new HttpError("the proxy closed the connection");
      this.#bytes.push(...bytes);
    }
    return this.#bytes.splice(0, count);
  }
}
