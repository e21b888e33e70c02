/** Runs SQL by the `duckdb` program, which is a process of its own: it is stopped with the work, and has the rights of scripts. */
import { lstat, mkdtemp, writeFile } from "node:fs/promises";
import { isJsonObject, type JsonObject } from "../../../base/json.ts";
import { optionalText } from "../../../model/tasks/task_definition.ts";
import type { MachineWork } from "../../../model/tasks/machine_task.ts";
import { type Fetched, fetchRows, fetchTypeOf } from "../fetching.ts";
import { statementsOf } from "../sql_text.ts";
import { readResult } from "./result_rows.ts";
import { DUCKDB_SYNTAX, duckdbScript, resultNames } from "./script.ts";

const PROGRAM = "duckdb";
const WAY_OUT =
  "install the command-line program of DuckDB (https://duckdb.org/install, or `pip install duckdb-cli`) where " +
  "scripts find it";
const SCRIPT = "script.sql";
const DATABASE = "database.duckdb";
const IN_MEMORY = ":memory:";

/** What the statements gave. */
interface DuckdbResult {
  /** Of each statement with rows. */
  readonly fetched: readonly Fetched[];
  /** `outputFiles` and `databaseUri`, as far as the properties ask for them. */
  readonly files: JsonObject;
}

/** Runs `sql` and `afterSQL`. @throws Error DuckDB is missing, scripts are not allowed, or a statement fails */
export async function runDuckdb(
  context: MachineWork,
  { isTransaction }: { readonly isTransaction: boolean },
): Promise<DuckdbResult> {
  const { properties } = context;
  const directory = await context.workingDirectory();
  const path = await mkdtemp(`${directory}/.duckdb-`);
  const folder = path.slice(directory.length + 1);
  try {
    const database = await databaseOf(context, folder);
    await context.createFiles(properties.inputFiles);
    const statements = statementsOf(optionalText(properties.sql) ?? "", DUCKDB_SYNTAX);
    const type = fetchTypeOf(properties, "NONE");
    const script = duckdbScript({
      folder,
      statements,
      after: statementsOf(optionalText(properties.afterSQL) ?? "", DUCKDB_SYNTAX),
      parameters: isJsonObject(properties.parameters) ? properties.parameters : undefined,
      timeZoneId: optionalText(properties.timeZoneId),
      isTransaction,
      withTypes: type !== "NONE",
    });
    await writeFile(`${path}/${SCRIPT}`, script);
    await execute(context, database, `${folder}/${SCRIPT}`);
    await checkFolder(path);
    const fetched: Fetched[] = [];
    for (const index of statements.keys()) {
      const { rows, types } = resultNames(index);
      const files = { rows: `${path}/${rows}`, types: `${path}/${types}` };
      const { result, ...found } = await fetchRows(type, context, (sink) => readResult(files, sink));
      if (result.hasRows) fetched.push(found);
    }
    return { fetched, files: await storedFiles(context, database.name) };
  } finally {
    await context.removeFile(folder);
  }
}

interface DuckdbDatabase {
  /** As the program takes it. */
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
}

/** From `databaseUri`, else `url`; a file of its own where neither names one. */
async function databaseOf(context: MachineWork, folder: string): Promise<DuckdbDatabase> {
  const { properties } = context;
  const name = `${folder}/${DATABASE}`;
  const uri = optionalText(properties.databaseUri);
  if (uri !== undefined) {
    await context.createFiles({ [name]: uri });
    return { name, env: {} };
  }
  const [, place = "", query = ""] = /^(?:jdbc:)?duckdb:([^?]*)\??(.*)$/s.exec(
    (optionalText(properties.url) ?? "jdbc:duckdb:").trim(),
  ) ?? refuseUrl();
  const token = new URLSearchParams(query).get("motherduck_token");
  // Arguments of processes can be read by other users of the machine.
  const env: Record<string, string> = token === null ? {} : { motherduck_token: token };
  if (place !== "" && place !== IN_MEMORY) return { name: place, env };
  return { name: properties.outputDbFile === true ? name : IN_MEMORY, env };
}

function refuseUrl(): never {
  throw new Error("Invalid url: it must be like jdbc:duckdb: or jdbc:duckdb:/path/of/a/file.db");
}

async function execute(context: MachineWork, { name, env }: DuckdbDatabase, script: string): Promise<void> {
  const command = [PROGRAM, "-init", "/dev/null", "-batch", "-f", script, name];
  const { exitCode, output } = await context.runProgram({ command, env, wayOut: WAY_OUT });
  if (context.signal.aborted) throw new Error("The attempt must stop");
  if (exitCode !== 0) {
    throw new Error(
      `Cannot run the SQL with DuckDB: ${output.trim() || `the program ended with ${exitCode}`}`,
    );
  }
}

/** A statement may have exchanged the folder for a link. */
async function checkFolder(path: string): Promise<void> {
  if (!(await lstat(path)).isDirectory()) throw new Error("Cannot read the results: their folder is gone");
}

async function storedFiles(context: MachineWork, database: string): Promise<JsonObject> {
  const { properties } = context;
  const names = Array.isArray(properties.outputFiles) ? properties.outputFiles.map(String) : [];
  const files: JsonObject = names.length > 0 ? { outputFiles: await context.storeFiles(names) } : {};
  if (properties.outputDbFile !== true) return files;
  const [uri] = Object.values(await context.storeFiles([database]));
  if (uri === undefined) {
    throw new Error("Cannot store the database: outputDbFile needs a database in the working directory");
  }
  return { ...files, databaseUri: uri };
}
