/** What one request on a connection of its own costs on this machine, without a client in between. */
import { median } from "../figures.ts";

const BUFFER_BYTES = 4_096;

/**
 * The middle of the times from connecting to a small answer in so many seconds, in milliseconds. A client that decides
 * of each connection where it may lead keeps none, so that a kept one is no limit for it.
 * @throws Error when the answer is not a success
 */
export async function bareRequestMs(url: string, seconds: number): Promise<number> {
  const { hostname, port, host, pathname } = new URL(url);
  const request = new TextEncoder().encode(
    `GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
  );
  const times: number[] = [];
  const until = performance.now() + seconds * 1000;
  while (performance.now() < until) {
    const start = performance.now();
    const answer = await exchange({ hostname, port: Number(port) }, request);
    times.push(performance.now() - start);
    if (!answer.startsWith("HTTP/1.1 200 ")) throw new Error(`GET ${url} answered ${answer}`);
  }
  return median(times);
}

async function exchange(address: Deno.ConnectOptions, request: Uint8Array): Promise<string> {
  using connection = await Deno.connect(address);
  await connection.write(request);
  const buffer = new Uint8Array(BUFFER_BYTES);
  const count = await connection.read(buffer);
  return new TextDecoder().decode(buffer.subarray(0, count ?? 0));
}
