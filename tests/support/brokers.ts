/** Brokers from Debian on free ports of this machine. Tests that need one are skipped where it is not installed. */
import { freePort } from "./free_port.ts";
import { isInstalled, startServer } from "./server_programs.ts";

const REDIS = "/usr/bin/redis-server";

/** Password of the default user. */
export const REDIS_PASSWORD = "s3cret-word";

/** Whether Redis is installed. */
export function hasRedis(): boolean {
  return isInstalled(REDIS);
}

/** A server in memory; `url` has the password. */
export async function startRedis(): Promise<
  AsyncDisposable & { readonly url: string; readonly port: number }
> {
  const port = freePort();
  const options = [
    "--save",
    "",
    "--appendonly",
    "no",
    "--bind",
    "127.0.0.1",
    "--requirepass",
    REDIS_PASSWORD,
  ];
  const server = await startServer(REDIS, ["--port", String(port), "--dir", "/tmp", ...options], port);
  const url = `redis://:${REDIS_PASSWORD}@localhost:${port}/1`;
  return { url, port, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}
