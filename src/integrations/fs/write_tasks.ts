/** The types that upload, move and delete files, for each protocol. */
import { type JsonValue, tryParseJson } from "../../base/json.ts";
import { dynamicFlag, dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { storedFileName } from "../../model/namespaces/storage_uri.ts";
import {
  defineTask,
  optionalText,
  type TaskContext,
  type TaskDefinition,
} from "../../model/tasks/task_definition.ts";
import { connectionProperties, type Protocol } from "./connection.ts";
import { withRemoteFiles } from "./session.ts";
import { pathTest, serverPath } from "./paths.ts";
import { folderOf, nameOf, pathIn, type RemoteFiles } from "./remote_files.ts";

const OVERWRITE = dynamicFlag(true, "Replaces an existing file; otherwise the task fails.");

/** `Upload`. */
export function uploadTask(protocol: Protocol): TaskDefinition {
  return defineTask({
    type: `fs.${protocol}.Upload`,
    title: `Upload a file to a server of ${protocol.toUpperCase()}`,
    description: `Copies a stored file to a server of ${protocol.toUpperCase()}; missing folders are made.`,
    properties: {
      ...connectionProperties(protocol),
      from: dynamicText("Storage URI of the file.", { required: true }),
      to: dynamicText(
        "Path on the server; one that ends in `/` is a folder. Default is the name of the file.",
      ),
      overwrite: OVERWRITE,
    },
    outputs: {
      from: { type: "string", description: "Storage URI of the file." },
      to: { type: "string", description: "Path of the file on the server." },
    },
    run: (context) =>
      withRemoteFiles(protocol, context, async (files) => {
        const from = String(context.properties.from);
        const to = await upload(files, context, { from, to: serverPath(context.properties.to) });
        return { from, to };
      }),
  });
}

/** `Uploads`. */
export function uploadsTask(protocol: Protocol): TaskDefinition {
  return defineTask({
    type: `fs.${protocol}.Uploads`,
    title: `Upload files to a server of ${protocol.toUpperCase()}`,
    description: `Copies stored files into a folder of a server of ${protocol.toUpperCase()}.`,
    properties: {
      ...connectionProperties(protocol),
      from: dynamicProperty(
        "any",
        "Storage URIs of the files: a list, or a map by their names on the server.",
        {
          required: true,
        },
      ),
      to: dynamicText("Folder on the server.", { required: true }),
      regExp: dynamicText(
        "Regular expression that the whole path of a file on the server must match; other files are not uploaded.",
      ),
      overwrite: OVERWRITE,
    },
    outputs: {
      files: { type: "list", description: "Paths of the files on the server." },
    },
    run: (context) =>
      withRemoteFiles(protocol, context, async (files) => {
        const folder = serverPath(context.properties.to);
        const isMeant = pathTest(context.properties);
        const paths: string[] = [];
        for (const { name, uri } of filesOf(context.properties.from)) {
          const to = pathIn(folder, name);
          if (isMeant(to)) paths.push(await upload(files, context, { from: uri, to }));
        }
        return { files: paths };
      }),
  });
}

/** `Delete`. */
export function deleteTask(protocol: Protocol): TaskDefinition {
  return defineTask({
    type: `fs.${protocol}.Delete`,
    title: `Delete a file of a server of ${protocol.toUpperCase()}`,
    description: `Deletes a file of a server of ${protocol.toUpperCase()}.`,
    properties: {
      ...connectionProperties(protocol),
      uri: dynamicText("Path of the file on the server.", { required: true }),
      errorOnMissing: dynamicFlag(false, "Fails if there is no such file."),
    },
    outputs: {
      uri: { type: "string", description: "Path of the file." },
      deleted: { type: "boolean", description: "Whether there was such a file." },
    },
    run: (context) =>
      withRemoteFiles(protocol, context, async (files) => {
        const uri = serverPath(context.properties.uri);
        const isFound = await files.find(uri) !== undefined;
        if (isFound) await files.delete(uri);
        else if (context.properties.errorOnMissing === true) throw new Error(`there is no file "${uri}"`);
        return { uri, deleted: isFound };
      }),
  });
}

/** `Move`. */
export function moveTask(protocol: Protocol): TaskDefinition {
  return defineTask({
    type: `fs.${protocol}.Move`,
    title: `Move a file of a server of ${protocol.toUpperCase()}`,
    description:
      `Renames a file or a folder of a server of ${protocol.toUpperCase()}; missing folders are made.`,
    properties: {
      ...connectionProperties(protocol),
      from: dynamicText("Path of the file on the server.", { required: true }),
      to: dynamicText("New path; one that ends in `/` is a folder that keeps the name.", { required: true }),
      overwrite: dynamicFlag(false, "Replaces an existing file; otherwise the task fails."),
    },
    outputs: {
      from: { type: "string", description: "Path before." },
      to: { type: "string", description: "Path after." },
    },
    run: (context) =>
      withRemoteFiles(protocol, context, async (files) => {
        const from = serverPath(context.properties.from);
        const to = targetOf(serverPath(context.properties.to), nameOf(from));
        await prepareTarget(files, to, context.properties.overwrite === true);
        await files.move(from, to);
        return { from, to };
      }),
  });
}

async function upload(
  files: RemoteFiles,
  context: TaskContext,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<string> {
  const localPath = await context.fetchFile(from);
  const path = targetOf(to, storedFileName(from));
  await prepareTarget(files, path, context.properties.overwrite === true, { isReplaced: true });
  await files.upload(localPath, path);
  return path;
}

/** The path of a file that is put at `to`. */
export function targetOf(to: string, name: string): string {
  return to === "" || to.endsWith("/") ? to + name : to;
}

/** Makes the folder. An existing file is deleted before a move, which some servers refuse otherwise. */
async function prepareTarget(
  files: RemoteFiles,
  path: string,
  overwrite: boolean,
  { isReplaced = false }: { readonly isReplaced?: boolean } = {},
): Promise<void> {
  await files.makeFolder(folderOf(path).replace(/(.)\/$/, "$1"));
  if (overwrite && isReplaced || await files.find(path) === undefined) return;
  if (!overwrite) throw new Error(`"${path}" exists already`);
  await files.delete(path);
}

/** The files of a property, by name. @throws Error neither a list nor a map of URIs */
export function filesOf(value: JsonValue | undefined): { readonly name: string; readonly uri: string }[] {
  const text = typeof value === "string" ? value.trim() : undefined;
  const given = text === undefined ? value : tryParseJson(text) ?? text;
  if (typeof given === "string" && optionalText(given)) return [{ name: storedFileName(given), uri: given }];
  if (Array.isArray(given)) {
    return given.map((uri) => ({ name: storedFileName(String(uri)), uri: String(uri) }));
  }
  if (typeof given === "object" && given !== null) {
    return Object.entries(given).map(([name, uri]) => ({ name, uri: String(uri) }));
  }
  throw new Error("Invalid from: it must be a list or a map of storage URIs");
}
