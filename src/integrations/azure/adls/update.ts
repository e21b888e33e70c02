/** `azure.storage.adls.update.…`: changes of files of Azure Data Lake Storage. */
import { isJsonObject, type JsonValue } from "../../../base/json.ts";
import {
  dynamicChoice,
  dynamicProperty,
  dynamicText,
  type PropertySchema,
} from "../../../model/flows/schema.ts";
import { defineTask, optionalText } from "../../../model/tasks/task_definition.ts";
import { newUuid } from "../../uuid.ts";
import { StorageClient } from "../storage_client.ts";
import { addressOf, FILE_PATH, FILE_SYSTEM, operationOf, pathBy } from "./paths.ts";

const EXAMPLE = `connectionString: "{{ secret('AZURE_CONNECTION') }}"
fileSystem: data
filePath: reports/2026.csv`;

/** A second request with the same position replaces the first one. */
export const adlsAppend = defineTask({
  type: "azure.storage.adls.update.Append",
  title: "Append to a file of Azure Data Lake Storage",
  description: "Writes a text to the end of a file of Azure Data Lake Storage, which must exist.",
  properties: {
    ...FILE_SYSTEM,
    filePath: FILE_PATH,
    data: dynamicText("Text that is appended.", { required: true }),
  },
  metrics: {
    "file.size": { type: "counter", description: "Bytes of the file before." },
    "data.size": { type: "counter", description: "Bytes that were appended." },
  },
  examples: [{
    title: "Append a line",
    yaml:
      `id: append\ntype: io.svc.plugin.azure.storage.adls.update.Append\n${EXAMPLE}\ndata: "2026-11-23,7\\n"`,
  }],
  async run(context) {
    const { properties } = context;
    const client = new StorageClient(context, "dfs"), address = addressOf(properties, properties.filePath);
    const size = Number((await pathBy(client, address)).size), body = String(properties.data);
    const added = new TextEncoder().encode(body).length;
    const request = {
      container: address.fileSystem,
      name: address.path,
      method: "PATCH",
      operation: operationOf("append to", address),
    };
    await client.send({ ...request, query: { action: "append", position: String(size) }, body });
    await client.send({
      ...request,
      query: { action: "flush", position: String(size + added), close: "true" },
    });
    context.metric("file.size", size);
    context.metric("data.size", added);
  },
});

/** Output: `id`. */
export const adlsLease = defineTask({
  type: "azure.storage.adls.update.Lease",
  title: "Lease a file of Azure Data Lake Storage",
  description:
    "Acquires, renews, releases or breaks the lease of a file, without whose id others cannot change it.",
  properties: {
    ...FILE_SYSTEM,
    filePath: FILE_PATH,
    action: dynamicChoice(
      ["ACQUIRE", "RENEW", "RELEASE", "BREAK"],
      "ACQUIRE",
      "What is done with the lease.",
    ),
    leaseDuration: dynamicProperty(
      "integer",
      "Seconds of an acquired lease, 15 to 60; -1: until it is released.",
      {
        default: -1,
        minimum: -1,
        maximum: 60,
      },
    ),
    leaseId: dynamicText("Id of the lease; required unless it is acquired."),
  },
  outputs: { id: { type: "string", description: "Id of the lease." } },
  examples: [{
    title: "Acquire a lease for 20 seconds",
    yaml:
      `id: lease\ntype: io.svc.plugin.azure.storage.adls.update.Lease\n${EXAMPLE}\naction: ACQUIRE\nleaseDuration: 20`,
  }],
  async run(context) {
    const { properties } = context, action = String(properties.action).toLowerCase();
    const address = addressOf(properties, properties.filePath), isNew = action === "acquire";
    const given = optionalText(properties.leaseId);
    if (!isNew && given === undefined) {
      throw new Error(`Missing leaseId: the action ${properties.action} needs it`);
    }
    const id = isNew ? newUuid() : String(given);
    const { headers } = await new StorageClient(context, "dfs").send({
      container: address.fileSystem,
      name: address.path,
      method: "POST",
      headers: {
        "x-ms-lease-action": action,
        ...isNew
          ? { "x-ms-proposed-lease-id": id, "x-ms-lease-duration": String(properties.leaseDuration) }
          : { "x-ms-lease-id": id },
      },
      // A lease that was released or broken is not there any more.
      isRepeatable: isNew || action === "renew",
      operation: operationOf(`${action} the lease of`, address),
    });
    return { id: headers["x-ms-lease-id"] ?? id };
  },
});

const RIGHTS = ["read", "write", "execute"] as const;

function rightsProperty(whose: string): PropertySchema {
  const flags = RIGHTS.flatMap((right) => {
    const name = `${right}Permission`, schema = dynamicProperty("boolean", `Whether they may ${right} it.`);
    return [[name, schema], [`${name}s`, { ...schema, deprecated: `use ${name}` }]];
  });
  return dynamicProperty("object", `Rights of ${whose}; default is none.`, {
    properties: Object.fromEntries(flags),
  });
}

/** No outputs. */
export const adlsSetAccessControl = defineTask({
  type: "azure.storage.adls.update.SetAccessControl",
  title: "Set the rights of a file of Azure Data Lake Storage",
  description: "Sets the rights of owner, group and others on a file of Azure Data Lake Storage.",
  properties: {
    ...FILE_SYSTEM,
    filePath: FILE_PATH,
    ownerPermissions: rightsProperty("the owner"),
    groupPermissions: rightsProperty("the group"),
    otherPermissions: rightsProperty("others"),
  },
  examples: [{
    title: "Let the group read a file",
    yaml: `id: rights\ntype: io.svc.plugin.azure.storage.adls.update.SetAccessControl\n${EXAMPLE}
ownerPermissions:
  readPermission: true
  writePermission: true
groupPermissions:
  readPermission: true`,
  }],
  async run(context) {
    const { properties } = context, address = addressOf(properties, properties.filePath);
    const rights = ["owner", "group", "other"].map((whose) => rightsText(properties[`${whose}Permissions`]))
      .join("");
    await new StorageClient(context, "dfs").send({
      container: address.fileSystem,
      name: address.path,
      method: "PATCH",
      query: { action: "setAccessControl" },
      headers: { "x-ms-permissions": rights },
      operation: operationOf("set the rights of", address),
    });
    context.log("INFO", `The rights of "${address.path}" are ${rights}`);
  },
});

/** As `ls` writes them. */
function rightsText(value: JsonValue | undefined): string {
  const given = isJsonObject(value) ? value : {};
  const has = (right: string) =>
    given[`${right}Permission`] === true || given[`${right}Permissions`] === true;
  return RIGHTS.map((right) => has(right) ? right === "execute" ? "x" : right.charAt(0) : "-").join("");
}
