/** Asks a running server for a backup, and downloads it. */
import { systemClock } from "../../base/time/clock.ts";
import { isJsonObject, type JsonObject, tryParseJson } from "../../base/json.ts";
import { fetchFailure } from "../../base/network/fetch_failure.ts";
import type { BackupOptions } from "../../config/mod.ts";

interface ServerBackup {
  readonly id: string;
  readonly bytes: number;
  readonly hasKey: boolean;
}

const POLL_MS = 500;
const REQUEST_TIMEOUT_MS = 60_000;
/** Of a poll, so that the end of the server is noticed: a server that cannot be reached so often has ended. */
const MAX_FAILURES = 20;

/** The backups of one server. */
export class BackupClient {
  readonly #server: NonNullable<BackupOptions["server"]>;

  constructor(server: NonNullable<BackupOptions["server"]>) {
    this.#server = server;
  }

  /** Lets the server make a backup, and waits for its end. @throws Error the reason, for people */
  async create(progress: (bytes: number, totalBytes: number) => void): Promise<ServerBackup> {
    let backup = await this.#json("POST", "");
    for (let failures = 0; backup.state === "RUNNING";) {
      progress(Number(backup.bytes), Number(backup.totalBytes));
      const { promise, resolve } = Promise.withResolvers<void>();
      systemClock.setTimer(POLL_MS, resolve);
      await promise;
      try {
        backup = await this.#json("GET", `/${backup.id}`);
        failures = 0;
      } catch (error) {
        if (++failures === MAX_FAILURES) throw error;
      }
    }
    if (backup.state !== "SUCCESS") throw new Error(String(backup.error));
    return { id: String(backup.id), bytes: Number(backup.bytes), hasKey: backup.hasKey === true };
  }

  /** Downloads a backup into a folder, as an archive that appears when it is complete; its path. @throws Error */
  async download(id: string, folder: string): Promise<string> {
    const response = await this.#fetch("GET", `/${id}/download`);
    const path = `${folder.replace(/(?<=.)\/+$/, "")}/sluice-backup-${id}.tar`;
    const unfinished = `${path}.unfinished`;
    await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
    try {
      const file = await Deno.open(unfinished, { write: true, create: true, truncate: true, mode: 0o600 });
      await response.body?.pipeTo(file.writable, { preventClose: true });
      await file.sync();
      file.close();
      const { size } = await Deno.stat(unfinished);
      if (size !== Number(response.headers.get("content-length"))) {
        throw new Error("the download is not complete");
      }
      await Deno.rename(unfinished, path);
      return path;
    } catch (error) {
      await Deno.remove(unfinished).catch(() => {});
      throw error;
    }
  }

  async #json(method: string, path: string): Promise<JsonObject> {
    const response = await this.#fetch(method, path, AbortSignal.timeout(REQUEST_TIMEOUT_MS));
    const value = tryParseJson(await response.text());
    if (isJsonObject(value)) return value;
    throw new Error(`Cannot use ${this.#server.url}: its response is not that of a Sluice server`);
  }

  async #fetch(method: string, path: string, signal?: AbortSignal): Promise<Response> {
    const { url, authorization } = this.#server;
    const response = await fetch(`${url}/api/v1/backups${path}`, {
      method,
      headers: authorization ? { authorization } : {},
      // A redirect could carry the credentials to another server.
      redirect: "manual",
      signal,
    }).catch((error: unknown) => {
      throw new Error(`Cannot reach ${url}: ${fetchFailure(error)}`);
    });
    if (response.ok) return response;
    const body = tryParseJson(await response.text());
    const reason = isJsonObject(body) ? String(body.message) : `status ${response.status}`;
    throw new Error(`Cannot back up ${url}: ${reason}`);
  }
}
