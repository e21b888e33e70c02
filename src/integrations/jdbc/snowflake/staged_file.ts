/** Reads a file of a stage by the address that Snowflake signs for it. */
import { mkdtemp } from "node:fs/promises";
import type { MachineWork } from "../../../model/tasks/machine_task.ts";
import { limitedContent } from "../../../model/ports/storage.ts";
import { optionalText } from "../../../model/tasks/task_definition.ts";
import { unpackedFile } from "../../compress/compression.ts";
import { refusalOf } from "../../http_calls.ts";
import { pathWithin } from "../../remote_files.ts";
import { writePieces } from "../../row_files.ts";
import { escapedText } from "../sql_text.ts";
import { openSnowflake } from "./snowflake_session.ts";
import { stageOf } from "./stage_name.ts";

/** The path of the file in the directory of the work. @throws Error it does not exist, or the stage is encrypted by clients */
export async function downloadStaged(context: MachineWork): Promise<string> {
  const { properties, signal } = context;
  const stage = stageOf(properties.stageName);
  const name = optionalText(properties.fileName) ?? "";
  await using session = await openSnowflake(context);
  let url = "";
  const sql = `SELECT GET_PRESIGNED_URL(${stage}, ${escapedText(name)}) AS url`;
  await session.run({ sql, values: [] }, { columns: () => {}, row: ([cell]) => void (url = cell ?? "") });
  const directory = await context.directory();
  const folder = (await mkdtemp(`${directory}/staged-`)).slice(directory.length + 1);
  const { status, text, path = "" } = await context.http({ url, saveTo: pathWithin(folder, name) });
  // The address is a credential: only its host is named.
  if (status !== 200) throw refusalOf({ operation: `download "${name}"`, url, status, words: text });
  if (properties.compress === false || !path.endsWith(".gz")) return path;
  const plain = path.slice(0, -".gz".length);
  await writePieces(plain, limitedContent(unpackedFile(path, "GZIP", signal), context.maxFileBytes), signal);
  return plain;
}
