/** Addresses that give access for a time. https://learn.microsoft.com/en-us/rest/api/storageservices/create-service-sas */
import { dynamicProperty, dynamicText, type PropertySchemas } from "../../../model/flows/schema.ts";
import { defineTask, type WorkContext } from "../../../model/tasks/task_definition.ts";
import { FILE_PATH, FILE_SYSTEM } from "../adls/paths.ts";
import { CONNECTION, StorageClient } from "../storage_client.ts";
import { CONTAINER, NAME } from "./blobs.ts";

/** In the order in which the service wants them. */
const PERMISSIONS: ReadonlyMap<string, string> = new Map([
  ["READ", "r"],
  ["ADD", "a"],
  ["CREATE", "c"],
  ["WRITE", "w"],
  ["DELETE", "d"],
  ["DELETE_VERSION", "x"],
  ["LIST", "l"],
  ["TAGS", "t"],
  ["FILTER", "f"],
  ["MOVE", "m"],
  ["EXECUTE", "e"],
  ["IMMUTABILITY_POLICY", "i"],
]);

const ACCESS: PropertySchemas = Object.freeze({
  expirationDate: dynamicProperty("dateTime", "When the access ends.", { required: true }),
  permissions: dynamicProperty("list", "What the address may be used for.", {
    required: true,
    items: dynamicText("One of them.", {
      values: [...PERMISSIONS.keys(), ...PERMISSIONS.values()],
    }),
  }),
});

const OUTPUTS: PropertySchemas = Object.freeze({
  uri: { type: "string", description: "The address. Whoever has it has the access." },
});

/** Output: `uri`. */
export const blobSharedAccess = defineTask({
  type: "azure.storage.blob.SharedAccess",
  title: "Share a file of Azure Blob Storage",
  description: "Makes an address by which others can use a blob for a time. It needs the key of the account.",
  properties: { ...CONNECTION, container: CONTAINER, name: NAME, ...ACCESS },
  outputs: OUTPUTS,
  examples: [{
    title: "Share a report for a day",
    yaml: `id: share
type: io.svc.plugin.azure.storage.blob.SharedAccess
connectionString: "{{ secret('AZURE_CONNECTION') }}"
container: data
name: reports/2026.csv
expirationDate: "{{ now() | dateAdd(1, 'DAYS') }}"
permissions: [READ]`,
  }],
  async run(context) {
    const { container, name } = context.properties;
    return { uri: await sharedUrl(context, String(container), String(name)) };
  },
});

/** Output: `uri`. */
export const adlsSharedAccess = defineTask({
  type: "azure.storage.adls.SharedAccess",
  title: "Share a file of Azure Data Lake Storage",
  description: "Makes an address by which others can use a file for a time. It needs the key of the account.",
  properties: { ...FILE_SYSTEM, filePath: FILE_PATH, ...ACCESS },
  outputs: OUTPUTS,
  async run(context) {
    const { fileSystem, filePath } = context.properties;
    return {
      uri: await sharedUrl(context, String(fileSystem), String(filePath).replace(/^\/+|(?<!\/)\/+$/g, "")),
    };
  },
});

/** An address of the service of blobs, which also serves files of Data Lake Storage. */
async function sharedUrl(context: WorkContext, container: string, name: string): Promise<string> {
  const { expirationDate, permissions } = context.properties;
  const given = Array.isArray(permissions) ? permissions.map(String) : [];
  const letters = [...PERMISSIONS].filter((names) => names.some((name) => given.includes(name))).map((
    [, letter],
  ) => letter)
    .join("");
  // The service takes seconds at most.
  const expiry = new Date(String(expirationDate)).toISOString().replace(/\.\d+Z$/, "Z");
  return await new StorageClient(context).sharedUrl({ container, name, permissions: letters, expiry });
}
