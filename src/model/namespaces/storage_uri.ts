/** Addresses of stored files, as inputs, outputs and expressions hold them, taken apart. Decides on text alone. */
import { DomainError } from "../errors.ts";
import { normalizeFileName } from "./file_path.ts";
import { checkNamespace } from "./namespace_name.ts";

/** What every address of a stored file begins with. */
export const STORAGE_SCHEME = "kestra://";

/** Below a namespace's folder lie its files. */
const NAMESPACE_FILES = "/_files/";
/** An id of an execution begins with a capital letter, so that no namespace and no folder of one looks like it. */
const EXECUTION_FILE =
  /^((?:(?!_files\/)[^/]+\/)+?)((?!_files\/)[^/]+)\/executions\/([A-Z][0-9A-Za-z]{21})\/(.+)$/;

/** Address of a file of a namespace; that of the flow where none is named. */
const NAMESPACE_FILE = /^nsfile:\/\/([^/]*)\/(.+)$/s;

/** What an address stands for. */
export type StoredPlace =
  | { readonly kind: "namespace file"; readonly namespace: string; readonly path: string }
  | {
    readonly kind: "execution file";
    readonly namespace: string;
    readonly flowId: string;
    readonly executionId: string;
    readonly path: string;
  };

/** True for a text that is meant as the address of a stored file. */
export function isStorageUri(text: string): boolean {
  return text.startsWith(STORAGE_SCHEME);
}

/** What `nsfile:///<path>` or `nsfile://<namespace>/<path>` stands for, in `own` namespace where it names none; `undefined` for another text. */
export function namespaceFileOf(
  text: string,
  own: string,
): { readonly namespace: string; readonly path: string } | undefined {
  const [, namespace, path] = NAMESPACE_FILE.exec(text) ?? [];
  return path === undefined ? undefined : { namespace: namespace || own, path };
}

/** The file that an address stands for. @throws DomainError invalid_argument: it stands for none, or leaves its folder */
export function parseStorageUri(uri: string): StoredPlace {
  const place = storedPlaceOf(uri);
  if (!place) throw refusal(uri);
  return place;
}

/** As {@linkcode parseStorageUri}; `undefined` when the text has the form of no address. @throws DomainError invalid_argument: it leaves its folder */
export function storedPlaceOf(uri: string): StoredPlace | undefined {
  const path = isStorageUri(uri) ? decode(uri.slice(STORAGE_SCHEME.length)) : undefined;
  if (path === undefined || !path.startsWith("/")) return undefined;
  const text = path.slice(1);
  const execution = EXECUTION_FILE.exec(text);
  if (execution) return executionPlace(execution);
  const files = text.indexOf(NAMESPACE_FILES);
  if (files < 0) return undefined;
  const namespace = checkNamespace(text.slice(0, files).replaceAll("/", "."));
  return {
    kind: "namespace file",
    namespace,
    path: normalizeFileName(text.slice(files + NAMESPACE_FILES.length)),
  };
}

/** The address of a namespace file: `kestra:///<namespace as path>/_files/<path>`. @throws DomainError invalid_argument */
export function namespaceFileUri(namespace: string, path: string): string {
  const folder = checkNamespace(namespace).replaceAll(".", "/");
  const name = normalizeFileName(path).split("/").map(encodeURIComponent).join("/");
  return `${STORAGE_SCHEME}/${folder}${NAMESPACE_FILES}${name}`;
}

function executionPlace([, folder = "", flowId = "", executionId = "", path = ""]: string[]): StoredPlace {
  const namespace = checkNamespace(folder.slice(0, -1).replaceAll("/", "."));
  if (path.split("/").some((part) => part === "." || part === "..")) {
    throw new DomainError("invalid_argument", `Illegal argument: path ${JSON.stringify(path)} contains ".."`);
  }
  return { kind: "execution file", namespace, flowId, executionId, path };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    // The platform says in this way that a percent sign is not followed by an encoded character.
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

function refusal(uri: string): DomainError {
  const shown = JSON.stringify(uri.length > 200 ? `${uri.slice(0, 200)}…` : uri);
  return new DomainError(
    "invalid_argument",
    `Illegal argument: ${shown} is not the address of a stored file`,
  );
}
