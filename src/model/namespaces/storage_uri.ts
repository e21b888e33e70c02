/** Parses storage URIs: addresses of stored files in inputs, outputs and expressions. Works on text only. */
import { DomainError } from "../errors.ts";
import { fileNameOf, normalizeFileName } from "./file_path.ts";
import { checkNamespace } from "./namespace_name.ts";

/** Scheme of all storage URIs. */
export const STORAGE_SCHEME = "kestra://";

/** Separates the namespace from the path of its file. */
const NAMESPACE_FILES = "/_files/";
/** Unambiguous, since an execution id begins with a capital letter and a namespace never does. */
const EXECUTION_FILE =
  /^((?:(?!_files\/)[^/]+\/)+?)((?!_files\/)[^/]+)\/executions\/([A-Z][0-9A-Za-z]{21})\/(.+)$/s;

/** URI of a namespace file; without a namespace that of the flow. */
const NAMESPACE_FILE = /^nsfile:\/\/([^/]*)\/(.+)$/s;

/** The file that a storage URI refers to. */
export type StoredPlace =
  | { readonly kind: "namespace file"; readonly namespace: string; readonly path: string }
  | {
    readonly kind: "execution file";
    readonly namespace: string;
    readonly flowId: string;
    readonly executionId: string;
    readonly path: string;
  };

/** True if the text has the scheme of storage URIs. */
export function isStorageUri(text: string): boolean {
  return text.startsWith(STORAGE_SCHEME);
}

/** Parses `nsfile:///<path>` (in namespace `own`) and `nsfile://<namespace>/<path>`; `undefined` for any other text. */
export function namespaceFileOf(
  text: string,
  own: string,
): { readonly namespace: string; readonly path: string } | undefined {
  const [, namespace, path] = NAMESPACE_FILE.exec(text) ?? [];
  return path === undefined ? undefined : { namespace: namespace || own, path };
}

/** Parses a storage URI. @throws DomainError invalid_argument: malformed, or the path leaves its folder */
export function parseStorageUri(uri: string): StoredPlace {
  const place = storedPlaceOf(uri);
  if (!place) throw refusal(uri);
  return place;
}

/** Like {@linkcode parseStorageUri}, but `undefined` if malformed. @throws DomainError invalid_argument: the path leaves its folder */
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

/** The decoded name of the file of a storage URI; not decoded if the encoding is malformed. */
export function storedFileName(uri: string): string {
  const name = fileNameOf(uri);
  return decode(name) ?? name;
}

/** The storage URI of a namespace file: `kestra:///<namespace as path>/_files/<path>`. @throws DomainError invalid_argument */
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
    // Malformed percent encoding.
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
