/** Files that cached outputs name: an execution that uses the outputs gets copies of its own. */
import { isJsonObject, type JsonObject, type JsonValue, setOwnProperty } from "../../base/json.ts";
import type { FileKeeper } from "../../model/executions/attempt_identity.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import { givenFileName } from "../../model/namespaces/new_file_name.ts";
import { isStorageUri, storedFileName, storedPlaceOf } from "../../model/namespaces/storage_uri.ts";
import type { StoragePort } from "../../model/ports/storage.ts";

/** Reads and writes files of executions. */
export interface CachedFilesDeps {
  readonly storage: Pick<StoragePort, "write">;
  /** Finds a file of any execution; `undefined` if it does not exist. */
  readonly find: (
    tenant: TenantId,
    place: { readonly executionId: string; readonly path: string; readonly isUnderWay: boolean },
  ) => Promise<FileContent | undefined>;
}

interface FileContent {
  open(): ReadableStream<Uint8Array>;
}

/** Outputs, and the execution that made them. */
interface MadeOutputs {
  readonly outputs: JsonObject;
  /** Only its own files are copied: an output may name any other file. */
  readonly madeBy: string;
}

/** The outputs with copies of the files that the execution made; `undefined` if such a file does not exist any more. */
export async function withOwnFiles(
  { storage, find }: CachedFilesDeps,
  keeper: FileKeeper,
  { outputs, madeBy }: MadeOutputs,
): Promise<JsonObject | undefined> {
  const found = new Map<string, FileContent>();
  for (const uri of urisIn(outputs, `/executions/${madeBy}/`)) {
    const place = storedPlaceOf(uri);
    if (place?.kind !== "execution file" || place.executionId !== madeBy) continue;
    const file = await find(keeper.tenant, { ...place, isUnderWay: false });
    if (!file) return undefined;
    found.set(uri, file);
  }
  if (found.size === 0 || madeBy === keeper.executionId) return outputs;
  const copies = new Map<string, string>();
  for (const [uri, file] of found) {
    const written = await storage.write(keeper, givenFileName(storedFileName(uri)), file.open());
    copies.set(uri, written.uri);
  }
  return withTexts(outputs, copies) as JsonObject;
}

function urisIn(value: JsonValue, part: string): string[] {
  if (typeof value === "string") return isStorageUri(value) && value.includes(part) ? [value] : [];
  const values = Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : [];
  return values.flatMap((each) => urisIn(each, part));
}

function withTexts(value: JsonValue, texts: ReadonlyMap<string, string>): JsonValue {
  if (typeof value === "string") return texts.get(value) ?? value;
  if (Array.isArray(value)) return value.map((each) => withTexts(each, texts));
  if (!isJsonObject(value)) return value;
  const copy: JsonObject = {};
  for (const [name, each] of Object.entries(value)) setOwnProperty(copy, name, withTexts(each, texts));
  return copy;
}
