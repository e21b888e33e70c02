/** Sends a file to a stage: Snowflake names the storage and the key, and the client compresses, encrypts and sends. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { isJsonObject, type JsonObject } from "../../../base/json.ts";
import { normalizeFileName, normalizeFilePath } from "../../../model/namespaces/file_path.ts";
import { optionalText, type WorkContext } from "../../../model/tasks/task_definition.ts";
import { fileChunks } from "../../compress/archive_reader.ts";
import { packed } from "../../compress/compression.ts";
import { writePieces } from "../../row_files.ts";
import { escapedText } from "../sql_text.ts";
import { withDriverSession } from "./driver_session.ts";
import { encryptForStage } from "./stage_encryption.ts";
import { stageOf } from "./stage_name.ts";
import { sendToStage } from "./stage_storage.ts";

/** Returns the path of the file in the stage. @throws Error Snowflake or the storage refuses it */
export async function uploadToStage(context: WorkContext): Promise<string> {
  const { properties, signal } = context;
  const stage = stageOf(properties.stageName);
  const prefix = normalizeFilePath(optionalText(properties.prefix) ?? "");
  const isCompressed = properties.compress !== false;
  const name = `${normalizeFileName(String(properties.fileName))}${isCompressed ? ".gz" : ""}`;
  const source = await context.fetchFile(String(properties.from));
  const folder = await mkdtemp(`${await context.directory()}/stage-`);
  const plain = isCompressed ? `${folder}/plain` : source;
  if (isCompressed) await writePieces(plain, packed(fileChunks(source), "GZIP"), signal);
  const digest = createHash("sha256");
  await pipeline(createReadStream(plain), digest);
  const target = escapedText(prefix === "" ? stage : `${stage}/${prefix}`);
  await withDriverSession(context, async (session) => {
    // The name of the local file has no meaning: the client names the file in the storage.
    const data = await session.transfer(`PUT 'file:///tmp/placeholder' ${target} OVERWRITE = TRUE`);
    const { stageInfo } = data;
    if (data.command !== "UPLOAD" || !isJsonObject(stageInfo)) {
      throw new Error(`Cannot send "${name}" to the stage: Snowflake did not name its storage`);
    }
    const sealed = `${folder}/sealed`;
    const encryption = await encryptForStage({ from: plain, to: sealed }, materialOf(data));
    const path = encryption ? sealed : plain;
    await sendToStage(context, stageInfo, { name, path, digest: digest.digest("base64"), encryption });
  });
  return prefix === "" ? name : `${prefix}/${name}`;
}

/** A stage whose encryption is that of its storage has none. */
function materialOf({ encryptionMaterial }: JsonObject): JsonObject | undefined {
  const [material] = Array.isArray(encryptionMaterial) ? encryptionMaterial : [encryptionMaterial];
  return isJsonObject(material) && optionalText(material.queryStageMasterKey) !== undefined
    ? material
    : undefined;
}
