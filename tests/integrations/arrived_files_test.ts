/** The order of effects of triggers for files: a file is moved or deleted only when the execution for it is durable. */
import { assertEquals, assertRejects } from "@std/assert";
import type { JsonObject } from "../../src/base/json.ts";
import { AWS_TASKS, AWS_TRIGGERS } from "../../src/integrations/aws/registry.ts";
import { blobDownloads, blobTrigger } from "../../src/integrations/azure/blob/read.ts";
import { FS_TRIGGERS } from "../../src/integrations/fs/registry.ts";
import { gcsDownloads, gcsTrigger } from "../../src/integrations/gcp/gcs/downloads.ts";
import type { TaskDefinition } from "../../src/model/tasks/task_definition.ts";
import type { TriggerDefinition } from "../../src/model/triggers/trigger_definition.ts";
import { pollDefinition, runDefinition, unconfirmedPoll } from "../support/flows/definition_run.ts";
import { type ApiReply, type ApiRequest, ApiStub } from "../support/servers/api_stub.ts";
import { hasFileServers, withFtpServer, withSshServer } from "../support/servers/file_servers.ts";
import { connection as gcpConnection, gcpStub } from "./gcp/gcp_stub.ts";

/** Files of another system by name. The version of each is its number of writes. */
class RemoteFolder {
  readonly #files = new Map<string, { readonly content: string; readonly version: number }>();
  #writes = 0;
  isReadOnly = false;

  get entries(): { readonly name: string; readonly content: string; readonly version: number }[] {
    return [...this.#files].map(([name, file]) => ({ name, ...file }));
  }

  get names(): string[] {
    return [...this.#files.keys()].sort();
  }

  content(name: string): string | undefined {
    return this.#files.get(name)?.content;
  }

  write(name: string, content: string): void {
    this.#files.set(name, { content, version: ++this.#writes });
  }

  delete(name: string): Response {
    if (this.isReadOnly) return new Response("denied", { status: 403 });
    this.#files.delete(name);
    return new Response(null, { status: 204 });
  }
}

function nameIn({ path }: ApiRequest): string {
  return decodeURIComponent(path.split("/").at(-1) ?? "");
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html */
function s3Reply(folder: RemoteFolder, request: ApiRequest): ApiReply {
  if (request.query["list-type"] === "2") {
    const contents = folder.entries.map(({ name, content, version }) =>
      `<Contents><Key>${name}</Key><ETag>"${version}"</ETag><Size>${content.length}</Size></Contents>`
    );
    return new Response(`<ListBucketResult>${contents.join("")}</ListBucketResult>`);
  }
  return request.method === "DELETE"
    ? folder.delete(nameIn(request))
    : new Response(folder.content(nameIn(request)));
}

/** https://cloud.google.com/storage/docs/json_api/v1/objects */
function gcsReply(folder: RemoteFolder, request: ApiRequest): ApiReply {
  if (request.method === "DELETE") return folder.delete(nameIn(request));
  if (request.query.alt === "media") return new Response(folder.content(nameIn(request)));
  return {
    items: folder.entries.map(({ name, version }) => ({ bucket: "b", name, generation: String(version) })),
  };
}

/** https://learn.microsoft.com/rest/api/storageservices/list-blobs */
function azureReply(folder: RemoteFolder, request: ApiRequest): ApiReply {
  if (request.query.comp === "list") {
    const blobs = folder.entries.map(({ name, version }) =>
      `<Blob><Name>${name}</Name><Properties><Etag>${version}</Etag></Properties></Blob>`
    );
    return new Response(`<EnumerationResults><Blobs>${blobs.join("")}</Blobs></EnumerationResults>`);
  }
  if (request.method === "DELETE") {
    const { status } = folder.delete(nameIn(request));
    return new Response(null, { status: status === 204 ? 202 : status });
  }
  return new Response(folder.content(nameIn(request)));
}

interface ServiceCase {
  readonly trigger: TriggerDefinition;
  readonly task: TaskDefinition;
  /** The property that leads a file back to its own folder. */
  readonly ownFolder: JsonObject;
  readonly start: (folder: RemoteFolder) => { readonly stub: ApiStub; readonly properties: JsonObject };
}

function awsCase(prefix: string, endpoint: string): ServiceCase {
  const trigger = AWS_TRIGGERS.find(({ type }) => type === `${prefix}.Trigger`);
  const task = AWS_TASKS.find(({ type }) => type === `${prefix}.Downloads`);
  if (!trigger || !task) throw new Error(`There is no ${prefix}`);
  return {
    trigger,
    task,
    ownFolder: { moveTo: {} },
    start: (folder) => {
      const stub = new ApiStub((request) => s3Reply(folder, request));
      const keys = { accessKeyId: "k", secretKeyId: "s", region: "eu-central-1", bucket: "b" };
      return { stub, properties: { ...keys, [endpoint]: stub.url } };
    },
  };
}

const SERVICES: readonly ServiceCase[] = [
  awsCase("aws.s3", "endpointOverride"),
  awsCase("minio", "endpoint"),
  {
    trigger: gcsTrigger,
    task: gcsDownloads,
    ownFolder: { moveDirectory: "gs://b/" },
    start: (folder) => {
      const stub = gcpStub((request) => gcsReply(folder, request));
      return { stub, properties: { ...gcpConnection(stub), from: "gs://b/" } };
    },
  },
  {
    trigger: blobTrigger,
    task: blobDownloads,
    ownFolder: { moveTo: {} },
    start: (folder) => {
      const stub = new ApiStub((request) => azureReply(folder, request));
      const connectionString = `AccountName=a;AccountKey=${btoa("key")};BlobEndpoint=${stub.url}`;
      return { stub, properties: { connectionString, container: "b" } };
    },
  },
];

function countOf({ outputs }: { readonly outputs: JsonObject }): number {
  const { objects, blobs, files } = outputs;
  return [objects, blobs, files].flatMap((list) => Array.isArray(list) ? list : []).length;
}

for (const { trigger, task, ownFolder, start } of SERVICES) {
  Deno.test(`${trigger.type} deletes files when their start is durable, and starts once for each`, async () => {
    const folder = new RemoteFolder();
    const { stub, properties: connection } = start(folder);
    await using _stub = stub;
    const properties = { ...connection, action: "DELETE" };
    folder.write("1.csv", "one");
    folder.write("2.csv", "two");
    const crashed = await unconfirmedPoll(trigger, properties);
    assertEquals([countOf(crashed), folder.names], [2, ["1.csv", "2.csv"]], "nothing is deleted before");
    folder.write("2.csv", "changed");
    const second = await pollDefinition(trigger, properties, crashed.state);
    assertEquals([countOf(second), [...second.files.values()]], [1, ["changed"]], "only what is new starts");
    assertEquals([folder.names, second.state], [[], {}]);
    folder.write("3.csv", "three");
    folder.isReadOnly = true;
    const refused = await unconfirmedPoll(trigger, properties, second.state);
    await assertRejects(refused.confirm, Error, "3.csv");
    const third = await unconfirmedPoll(trigger, properties, refused.state);
    assertEquals([countOf(refused), third.isFound], [1, false], "a refused deletion starts nothing again");
    folder.isReadOnly = false;
    await third.confirm();
    assertEquals([folder.names, third.state], [[], {}]);
  });

  Deno.test(`${trigger.type} and ${task.type} leave files that are where they would be moved to`, async () => {
    const folder = new RemoteFolder();
    const { stub, properties: connection } = start(folder);
    await using _stub = stub;
    folder.write("1.csv", "one");
    const properties = { ...connection, ...ownFolder, action: "MOVE" };
    const words = /^Invalid move(?:To|Directory): "1.csv" is there already$/;
    for (
      const work of [() => runDefinition(task, properties), () => unconfirmedPoll(trigger, properties)]
    ) {
      const { message } = await assertRejects(work, Error);
      assertEquals([words.test(message), folder.names], [true, ["1.csv"]]);
    }
  });
}

type Place = { readonly connection: JsonObject; readonly remote: string; readonly local: string };

const PROTOCOLS:
  readonly (readonly ["sftp" | "ftp" | "ftps", (work: (place: Place) => Promise<void>) => Promise<void>])[] =
    [
      ["sftp", (work) =>
        withSshServer(({ port, privateKey, folder }) =>
          work({
            connection: { host: "localhost", port: String(port), username: "root", keyfile: privateKey },
            remote: folder,
            local: folder,
          })
        )],
      ["ftp", (work) =>
        withFtpServer(({ port, folder }) =>
          work({
            connection: { host: "localhost", port: String(port), username: "anonymous", password: "x" },
            remote: "/files",
            local: folder,
          })
        )],
      ["ftps", (work) =>
        withFtpServer(({ port, folder }) =>
          work({
            connection: {
              host: "localhost",
              port: String(port),
              username: "anonymous",
              password: "x",
              insecureTrustAllCertificates: true,
            },
            remote: "/files",
            local: folder,
          })
        )],
    ];

for (const [protocol, withServer] of PROTOCOLS) {
  Deno.test({
    name: `fs.${protocol}.Trigger moves files when their start is durable, and starts once for each`,
    ignore: !hasFileServers(),
    fn: async () => {
      await withServer(async ({ connection, remote, local }) => {
        const trigger = FS_TRIGGERS.find(({ type }) => type === `fs.${protocol}.Trigger`);
        if (!trigger) throw new Error(`There is no trigger of ${protocol}`);
        const properties = { ...connection, from: remote, action: "MOVE", moveDirectory: `${remote}/done` };
        await Deno.writeTextFile(`${local}/1.csv`, "one");
        const crashed = await unconfirmedPoll(trigger, properties);
        assertEquals([countOf(crashed), await Deno.readTextFile(`${local}/1.csv`)], [1, "one"]);
        const second = await pollDefinition(trigger, properties, crashed.state);
        assertEquals([second.isFound, second.state], [false, {}]);
        assertEquals(await Deno.readTextFile(`${local}/done/1.csv`), "one");
        // Servers of SFTP do not rename onto another file.
        await Deno.remove(`${local}/done/1.csv`);
        await Deno.writeTextFile(`${local}/1.csv`, "one");
        const again = await pollDefinition(trigger, properties, second.state);
        assertEquals([countOf(again), again.state], [1, {}], "a file that comes again starts again");
      });
    },
  });
}
