/** Reads what a caller sends to start an execution: values and files for the flow's inputs. */
import { ownProperty } from "../../base/json.ts";
import type { Input } from "../../model/flows/flow.ts";
import type { GivenValue } from "../../model/flows/input_value.ts";
import { MAX_FILE_NAME_LENGTH } from "../../model/limits.ts";
import type { StoreFile } from "../../services/starts/given_files.ts";
import { type MultipartLimits, type Part, readForm, readMultipart } from "./multipart.ts";

/** Name of the part by which older clients send files; its file name is the id of the input. */
const FILES_PART = "files";
const FILE_TYPE = "FILE";
const DEFAULT_EXTENSION = ".upl";

/** Where the parts of a form go. */
interface StartFormOptions {
  /** Inputs of the flow; parts of other names are passed over. */
  readonly inputs: readonly Input[];
  readonly store: StoreFile;
  readonly limits: MultipartLimits;
}

/** True when a request sends nothing: neither a form to read nor a content type to refuse. */
export function hasNoForm({ headers }: Request): boolean {
  const length = headers.get("content-length");
  if (length === "0") return true;
  return length === null && headers.get("content-type") === null && headers.get("transfer-encoding") === null;
}

/**
 * What was sent for the declared inputs; of repeated parts the last. Files go to `store` as they arrive.
 * @throws DomainError unsupported_media_type, too_large, invalid_argument, bad_request
 */
export async function readStartForm(
  request: Request,
  { inputs, store, limits }: StartFormOptions,
): Promise<Map<string, GivenValue>> {
  const given = new Map<string, GivenValue>();
  const isMultipart = /^\s*multipart\/form-data\s*(;|$)/i.test(request.headers.get("content-type") ?? "");
  if (!isMultipart) {
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

/** Some clients send every value as a file: what is no file for the flow is read as text. */
async function readPart(part: Part, input: Input, store: StoreFile): Promise<GivenValue> {
  if (input.type !== FILE_TYPE || part.fileName === undefined) {
    return { kind: "text", text: await part.text() };
  }
  return await store(input.id, { name: storedName(part, input), stream: part.stream() });
}

/** Where the part does not tell the name of the file, the input says how it ends. */
function storedName({ name, fileName = "" }: Part, { id, properties }: Input): string {
  if (name !== FILES_PART || fileName !== id) return safeFileName(fileName, id);
  return safeFileName(`${id}${ownProperty(properties, "extension") ?? DEFAULT_EXTENSION}`, id);
}

/** The last part of the name as sent, without what has a meaning in paths and addresses; never empty. */
function safeFileName(sent: string, inputId: string): string {
  const last = sent.normalize("NFC").split(/[\\/]/).at(-1) ?? "";
  const name = last.replace(/[^\p{L}\p{N}._ ()+@=-]/gu, "_").trim();
  if (/^\.*$/.test(name)) return inputId;
  return name.length <= MAX_FILE_NAME_LENGTH ? name : name.slice(-MAX_FILE_NAME_LENGTH);
}
