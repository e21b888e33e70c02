/** A real server process to fuzz: protected, without scripts and without network for its flows. */
import type { JsonObject } from "../../../src/base/json.ts";
import { ServerProcess } from "../../support/processes/server_process.ts";
import { Description } from "./description.ts";
import { OWN_TOKEN, type Send } from "./fixtures.ts";
import { PLANTED } from "./recorded.ts";
import type { Rules } from "./judge.ts";

const USER = "fuzz";
const ROOT = new URL("../../../", import.meta.url).pathname;
/** Ended executions that are kept: what is stored stays the same however long the run is. */
const KEPT_EXECUTIONS = 2_000;
const OPTIONS = [
  ...["--scripts", "off", "--http-deny", "all", "--log-level", "warn", "--log-format", "json"],
  ...["--retention-count", String(KEPT_EXECUTIONS)],
  // Each change is a record: an export of all would take longer and longer.
  ...["--audit-retention", "1m"],
];

/** A line of the server's log. */
export interface LogLine {
  readonly level?: string;
  readonly message?: string;
  readonly requestId?: string;
  readonly reason?: string;
  readonly error?: string;
}

/** The process with what requests need. */
export class FuzzedServer implements AsyncDisposable {
  readonly process: ServerProcess;
  readonly port: number;
  readonly authorization: string;
  readonly rules: Rules;
  readonly #folder: string;

  private constructor(process: ServerProcess, authorization: string, rules: Rules, folder: string) {
    this.process = process;
    this.port = Number(new URL(process.url).port);
    this.authorization = authorization;
    this.rules = rules;
    this.#folder = folder;
  }

  /** Starts a server on a new data folder. */
  static async start(): Promise<FuzzedServer> {
    const folder = await Deno.makeTempDir({ prefix: "sluice-http-fuzz-" });
    const credentials = `${folder}/credentials`;
    await Deno.writeTextFile(credentials, `${USER}:${PLANTED.password}`, { mode: 0o600 });
    const dataDir = `${folder}/data`;
    const process = await ServerProcess.start({
      dataDir,
      args: [...OPTIONS, "--basic-auth-file", credentials],
      env: { SECRET_PLANTED_ENV: btoa(PLANTED.environment) },
    });
    const basic = `Basic ${btoa(`${USER}:${PLANTED.password}`)}`;
    const body = JSON.stringify({ name: OWN_TOKEN });
    const headers = { authorization: basic, "content-type": "application/json" };
    const token = await fetch(`${process.url}/api/v1/me/api-tokens`, { method: "POST", body, headers });
    const authorization = `Bearer ${(await token.json()).fullToken}`;
    const described = await fetch(`${process.url}/openapi.json`, { headers: { authorization } });
    const description = new Description(await described.json() as JsonObject);
    const hidden = [...Object.values(PLANTED), btoa(PLANTED.environment), folder, ROOT];
    const rules = { description, hidden, dataDir, isProtected: true };
    return new FuzzedServer(process, authorization, rules, folder);
  }

  /** Sends a request of the run itself. */
  readonly send: Send = async (method, path, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set("authorization", this.authorization);
    return await fetch(`${this.process.url}/api/v1${path}`, { ...init, method, headers });
  };

  /** The lines of severity ERROR. */
  errors(): LogLine[] {
    const lines = this.process.log.split("\n").filter((line) =>
      line.includes('"ERROR"') || line.includes('"error"')
    );
    return lines.flatMap((line) => {
      try {
        return [JSON.parse(line) as LogLine];
      } catch {
        return [{ message: line }];
      }
    });
  }

  /** Resident memory in bytes. */
  async residentBytes(): Promise<number> {
    const status = await Deno.readTextFile(`/proc/${this.process.pid}/status`);
    return 1024 * Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0);
  }

  /** Kills the process and removes its data. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.process[Symbol.asyncDispose]();
    await Deno.remove(this.#folder, { recursive: true });
  }
}
