/** Reads the form that starts an execution: values and files of the inputs. */
import { ownProperty } from "../../base/json.ts";
import type { Input } from "../../model/flows/flow.ts";
import type { GivenValue } from "../../model/flows/input_value.ts";
import { MAX_FILE_NAME_LENGTH } from "../../model/limits.ts";
import type { StoreFile } from "../../services/starts/given_files.ts";
import { mediaTypeOf } from "../bodies/body.ts";
import { type MultipartLimits, type Part, readForm, readMultipart } from "../bodies/multipart.ts";

/** Part in which older clients send files; the file name is the id of the input. */
const FILES_PART = "files";
const FILE_TYPE = "FILE";
const DEFAULT_EXTENSION = ".upl";

/** How the parts of a form are read. */
interface StartFormOptions {
  /** Inputs of the flow; parts of other names are ignored. */
  readonly inputs: readonly Input[];
  readonly store: StoreFile;
  readonly limits: MultipartLimits;
}

/** True for a request without a body and without a content type. */
export function hasNoForm({ headers }: Request): boolean {
  const length = headers.get("content-length");
  if (length === "0") return true;
  return length === null && headers.get("content-type") === null && headers.get("transfer-encoding") === null;
}

/**
 * The given values by input; the last of repeated parts. Files are streamed to `store`.
 * @throws DomainError unsupported_media_type, too_large, invalid_argument, bad_request
 */
export async function readStartForm(
  request: Request,
  { inputs, store, limits }: StartFormOptions,
): Promise<Map<string, GivenValue>> {
  const given = new Map<string, GivenValue>();
  if (mediaTypeOf(request) !== "multipart/form-data") {
    const ids = new Set(inputs.map(({ id }) => id));
    for (const { name, value } of await readForm(request, limits)) {
      if (ids.has(name)) given.set(name, { kind: "text", text: value });
    }
    return given;
  }
  for await (const part of readMultipart(request, limits)) {
    const input = inputOf(part, inputs);
    if (input) given.set(input.id, await readPart(part, input, store));
  }
  return given;
}

function inputOf({ name, fileName }: Part, inputs: readonly Input[]): Input | undefined {
  const isOldForm = name === FILES_PART && fileName !== undefined;
  const byFileName = isOldForm && inputs.find(({ id, type }) => id === fileName && type === FILE_TYPE);
  return byFileName || inputs.find(({ id }) => id === name);
}

/**
 * Some clients send every value as a file: for an input of another type it is read as text. Browsers send a field without
 * a chosen file as an empty file without a name, which is no value.
 */
async function readPart(part: Part, input: Input, store: StoreFile): Promise<GivenValue> {
  if (input.type !== FILE_TYPE || part.fileName === undefined) {
    return { kind: "text", text: await part.text() };
  }
  const value = await store(input.id, { name: storedName(part, input), stream: part.stream() });
  const isUnchosen = part.fileName === "" && value.kind === "file" && value.size === 0;
  return isUnchosen ? { kind: "text", text: "" } : value;
}

/** Without a file name in the part, the name is the input id with the extension of the input. */
function storedName({ name, fileName = "" }: Part, { id, properties }: Input): string {
  if (name !== FILES_PART || fileName !== id) return safeFileName(fileName, id);
  return safeFileName(`${id}${ownProperty(properties, "extension") ?? DEFAULT_EXTENSION}`, id);
}

/** The last path segment of the sent name, with characters special in paths and URLs replaced; never empty. */
function safeFileName(sent: string, inputId: string): string {
  const last = sent.normalize("NFC").split(/[\\/]/).at(-1) ?? "";
  const name = last.replace(/[^\p{L}\p{N}._ ()+@=-]/gu, "_").trim();
  if (/^\.*$/.test(name)) return inputId;
  return name.length <= MAX_FILE_NAME_LENGTH ? name : name.slice(-MAX_FILE_NAME_LENGTH);
}
