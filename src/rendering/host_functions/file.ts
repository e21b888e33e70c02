/** `read()`, `fileURI()`, `fileSize()`, `fileExists()`, `isFileEmpty()`: files of namespaces and of executions. */
import type { JsonValue } from "../../base/json.ts";
import {
  isStorageUri,
  namespaceFileOf,
  namespaceFileUri,
  storedPlaceOf,
} from "../../model/namespaces/storage_uri.ts";
import {
  type FileFacts,
  type FilePlace,
  type FilePort,
  type HostCall,
  HostError,
  type HostFunctionEntry,
  type HostFunctionTable,
  portOf,
  requiredOf,
  textOf,
} from "./host_function.ts";

/** Bytes that `read()` returns at most. */
export const MAX_READ_BYTES = 4 * 1024 * 1024;

const PARAMETERS = ["path", "namespace", "version"];

/** Functions on files. */
export const FILE_FUNCTIONS: HostFunctionTable = [
  ["read", { parameters: PARAMETERS, call: readText }],
  ["fileURI", { parameters: PARAMETERS, call: uriOf }],
  ["fileSize", onFacts("fileSize", (facts, call) => existing("fileSize", facts, call).size)],
  ["fileExists", onFacts("fileExists", (facts, call) => facts !== undefined && !versionProblem(facts, call))],
  ["isFileEmpty", onFacts("isFileEmpty", (facts, call) => existing("isFileEmpty", facts, call).size === 0)],
];

function onFacts(
  name: string,
  response: (facts: FileFacts | undefined, call: HostCall) => JsonValue,
): HostFunctionEntry {
  return {
    parameters: PARAMETERS,
    call: async (call) =>
      response(await filesOf(call, name).stat(call.caller.tenant, await placeOf(call)), call),
  };
}

async function readText(call: HostCall): Promise<string> {
  const found = await filesOf(call, "read").open(call.caller.tenant, await placeOf(call));
  const problem = found && (versionProblem(found, call) ?? sizeProblem(found));
  if (!found || problem === undefined) return await textIn(existing("read", found, call).content);
  await found.content.cancel();
  throw new HostError(`Cannot read "${requiredOf(call.args, "path")}": ${problem}`);
}

async function textIn(content: ReadableStream<Uint8Array>): Promise<string> {
  return await new Response(content as ReadableStream<Uint8Array<ArrayBuffer>>).text();
}

function sizeProblem({ size }: FileFacts): string | undefined {
  if (size <= MAX_READ_BYTES) return undefined;
  return `it has ${size} bytes, and expressions take at most ${MAX_READ_BYTES}; hand its address to a task`;
}

function uriOf({ args, caller }: HostCall): string {
  const path = requiredOf(args, "path");
  if (isStorageUri(path)) return path;
  const { namespace, path: name } = namedFile(path, textOf(args, "namespace") ?? caller.namespace);
  return namespaceFileUri(namespace, name);
}

const STEP_UP = /(?:^|\/)\.\.(?:\/|$)/;

/** The namespace file of a path, or of an address as in the default of an input. @throws HostError it leaves the namespace */
function namedFile(path: string, namespace: string) {
  if (STEP_UP.test(path)) throw new HostError("Path must not contain '../'");
  return namespaceFileOf(path, namespace) ?? { namespace, path };
}

function filesOf({ values }: HostCall, name: string): FilePort {
  return portOf(values.files, name);
}

function existing<T extends FileFacts>(name: string, found: T | undefined, call: HostCall): T {
  const problem = found ? versionProblem(found, call) : "there is no such file";
  if (found && problem === undefined) return found;
  throw new HostError(`Cannot call "${name}" for "${requiredOf(call.args, "path")}": ${problem}`);
}

/** Only the newest version of a file is kept. */
function versionProblem({ revision }: FileFacts, { args }: HostCall): string | undefined {
  const version = textOf(args, "version");
  if (version === undefined || revision === undefined || version === String(revision)) return undefined;
  return `version ${version} is not kept, only version ${revision}`;
}

async function placeOf(call: HostCall): Promise<FilePlace> {
  const { args, caller } = call;
  const path = requiredOf(args, "path");
  if (!isStorageUri(path)) return namedFile(path, textOf(args, "namespace") ?? caller.namespace);
  const place = storedPlaceOf(path);
  if (place?.kind === "namespace file") return place;
  const executionId = place?.executionId ?? "";
  if (place && (readableExecutions(call).has(executionId) || await isRelated(call, executionId))) {
    return { executionId, path: place.path, isUnderWay: executionId === caller.execution?.id };
  }
  throw new HostError(
    `Unable to read the file '${path}' as it didn't belong to the current execution, nor to the one that triggered it`,
  );
}

/** True for an execution that started this one, or was started by it, directly or not. */
async function isRelated({ caller: { tenant, execution }, values }: HostCall, id: string): Promise<boolean> {
  return execution !== undefined && await values.files?.areRelated?.(tenant, execution.id, id) === true;
}

/** Ids of the executions whose files may always be read: this one, the one that triggered it, and those it repeats. */
function readableExecutions({ caller: { execution } }: HostCall): ReadonlySet<string> {
  if (!execution) return new Set();
  const { id, parentId, originalId, trigger } = execution;
  const triggeredBy = trigger && Object.hasOwn(trigger.variables, "executionId") &&
    trigger.variables.executionId;
  const ids = [id, parentId, originalId, triggeredBy];
  return new Set(ids.filter((each) => typeof each === "string"));
}
