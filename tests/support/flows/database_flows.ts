/** Flows that use a database server. */
import { type JsonObject, stringifyJson } from "../../../src/base/json.ts";
import { DATABASE_PASSWORD } from "../servers/database_programs.ts";
import type { Harness } from "../harness.ts";

interface DatabasePlace {
  /** As in the names of types and in addresses. */
  readonly kind: string;
  /** Absent: no server, and flows name the database themselves. */
  readonly port?: number;
  readonly database?: string;
}

/** A flow that has run. */
interface Ran {
  readonly id: string;
  readonly state: string;
  /** By task. */
  readonly outputs: Readonly<Record<string, JsonObject>>;
  /** Messages of level ERROR, the port as PORT. */
  readonly errors: readonly string[];
  readonly log: readonly string[];
}

/** Flows before one database server. */
export class DatabaseFlows {
  readonly app: Harness;
  readonly #place: DatabasePlace;
  #count = 0;

  constructor(app: Harness, place: DatabasePlace) {
    this.app = app;
    this.#place = place;
  }

  /** The properties of a connection. */
  connection(host = "127.0.0.1"): JsonObject {
    const { kind, port, database } = this.#place;
    if (port === undefined) return {};
    const url = `jdbc:${kind}://${host}:${port}/${database}`;
    return { url, username: "app", password: DATABASE_PASSWORD };
  }

  /** Saves a flow of these tasks, with types of the database or of `core`; returns its id. */
  async save(tasks: Readonly<Record<string, JsonObject>>): Promise<string> {
    const id = `f${++this.#count}`;
    const list = Object.entries(tasks).map(([taskId, { type, ...rest }]) =>
      String(type).startsWith("core.") ? { id: taskId, type, ...rest } : {
        id: taskId,
        type: `io.kestra.plugin.jdbc.${this.#place.kind}.${type}`,
        ...this.connection(),
        ...rest,
      }
    );
    await this.app.save(stringifyJson({ id, namespace: "demo", tasks: list }));
    return id;
  }

  /** Saves and runs such a flow. */
  async run(tasks: Readonly<Record<string, JsonObject>>): Promise<Ran> {
    const { id } = await this.app.start(await this.save(tasks), {}, "?wait=true");
    const { state, taskRunList } = await this.app.execution(id);
    const logs = await this.app.json("GET", `/logs/${id}`) as readonly JsonObject[];
    const log = logs.map(({ level, message }) =>
      `${level} ${String(message).replaceAll(String(this.#place.port ?? "no port"), "PORT")}`
    );
    return {
      id: String(id),
      state: state.current,
      outputs: Object.fromEntries(taskRunList.map(({ taskId, outputs }) => [taskId, outputs as JsonObject])),
      errors: log.filter((line) => line.startsWith("ERROR ")).map((line) => line.slice(6)),
      log,
    };
  }

  /** Rows of a query. */
  async rows(sql: string): Promise<unknown> {
    return (await this.run({ q: { type: "Query", sql, fetchType: "FETCH" } })).outputs.q?.rows;
  }

  /** The content of a file. */
  async file(executionId: string, uri: unknown): Promise<string> {
    const path = `/executions/${executionId}/file?path=${encodeURIComponent(String(uri))}`;
    return await (await this.app.request("GET", path)).text();
  }
}
