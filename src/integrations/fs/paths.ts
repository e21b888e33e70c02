/** How properties select files of a server. */
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { dynamicFlag, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import { compileGlobs } from "../../model/namespaces/glob.ts";
import { optionalText } from "../../model/tasks/task_definition.ts";
import type { RemoteFile } from "./remote_files.ts";

/** Which files of a folder are meant. */
export const SELECTION_PROPERTIES: PropertySchemas = Object.freeze({
  from: dynamicText("Path of a folder or a file on the server.", { required: true }),
  regExp: dynamicText("Regular expression that the whole path of a file must match."),
  recursive: dynamicFlag(false, "Also files of folders below."),
});

/** The path of a property, also from a URI such as `sftp://host/path`. @throws Error it has a line break */
export function serverPath(value: JsonValue | undefined): string {
  const text = optionalText(value) ?? "";
  const [, encoded] = /^(?:s?ftps?|ftps):\/\/[^/]*(\/.*)?$/s.exec(text) ?? [];
  const path = encoded === undefined ? text : decodeURIComponent(encoded);
  // A line break would begin another command of FTP.
  if (/[\r\n\0]/.test(path)) throw new Error(`Invalid path ${JSON.stringify(text)}`);
  return path;
}

/** The test of `regExp`. @throws Error invalid expression */
export function pathTest({ regExp }: JsonObject): (path: string) => boolean {
  const pattern = optionalText(regExp);
  return pattern === undefined ? () => true : compileGlobs([`regex:${pattern}`]);
}

/** A file as outputs show it; `path` is the one on the server unless another one is given. */
export function fileOutput({ path, name, size, updatedAt }: RemoteFile, storedAt = path): JsonObject {
  return {
    name,
    path: storedAt,
    serverPath: path,
    size,
    fileType: "FILE",
    ...updatedAt !== undefined && { updatedDate: updatedAt },
  };
}
