/** What rendering gets from the services: secrets, KV pairs, files and requests to other servers. */
import type { Clock } from "../base/time/clock.ts";
import { type JsonObject, setOwnProperty } from "../base/json.ts";
import { convertOutputs } from "../flow/mod.ts";
import { undefinedIfMissing } from "../model/errors.ts";
import { keptInMemory, readHttpOptions } from "../model/http/http_options.ts";
import { responseText } from "../model/http/http_text.ts";
import { headerOf, type HttpBody, type HttpClientPort } from "../model/ports/http.ts";
import type {
  FilePlace,
  FilePort,
  HostValues,
  HttpPort,
  SlowRenders,
} from "../rendering/host_functions/mod.ts";
import type { RenderDeps } from "../rendering/renderer.ts";
import type { ServerRoots } from "../rendering/scope.ts";
import type { ExecutionContents } from "../services/executions/execution_contents.ts";
import type { ExecutionLineage } from "../services/executions/execution_lineage.ts";
import type { Files } from "../services/files/files.ts";
import type { KvPairs } from "../services/namespaces/kv_pairs.ts";
import type { Secrets } from "../services/namespaces/secrets.ts";
import type { InputCipher } from "../services/starts/input_cipher.ts";
import type { AssemblyOptions } from "./options.ts";

type RootOptions = Pick<AssemblyOptions, "envs" | "globals" | "baseUrl" | "environment">;

interface RenderOptions extends RootOptions {
  readonly clock: Clock;
  readonly timeZone: string;
  readonly maxRenderMs?: number;
  readonly slowRenders?: SlowRenders;
  readonly random: () => number;
}

/** The root variables that come from the configuration. */
export function serverRoots({ envs, globals, baseUrl: url, environment }: RootOptions): ServerRoots {
  const kestra: JsonObject = { ...(environment && { environment }), ...(url && { url }) };
  return { envs: toObject(envs), globals, kestra: Object.keys(kestra).length > 0 ? kestra : undefined };
}

/** The services that rendering reads from. */
export interface RenderServices extends HostServices {
  readonly inputCipher: InputCipher;
}

/** What renderers need, from the services of this server. */
export function createRenderDeps(options: RenderOptions, services: RenderServices): RenderDeps {
  const { clock, timeZone, maxRenderMs, slowRenders, random } = options;
  const { inputCipher } = services;
  return {
    clock,
    timeZone,
    maxRenderMs,
    random,
    server: {
      ...serverRoots(options),
      openInput: (flow, value, output) => inputCipher.open(flow, value, output),
    },
    hostValues: { ...createHostValues(services), slowRenders },
    convertOutputs: (flow, rendered) =>
      convertOutputs(flow, rendered, { seal: (text) => inputCipher.seal(flow, text) }),
    handOver: (flow, outputs, receiver) => inputCipher.handOver(flow, outputs, receiver),
  };
}

function toObject(entries: ReadonlyMap<string, string>): JsonObject {
  const object: JsonObject = {};
  for (const [name, value] of entries) setOwnProperty(object, name, value);
  return object;
}

interface HostServices {
  readonly secrets: Secrets;
  readonly kvPairs: KvPairs;
  readonly files: Files;
  readonly contents: ExecutionContents;
  readonly lineage: ExecutionLineage;
}

/** Data for the host functions of executions. */
function createHostValues({ secrets, kvPairs, files, contents, lineage }: HostServices): HostValues {
  return {
    ...namespaceValues({ secrets, kvPairs }),
    files: {
      ...filePort(files, contents),
      areRelated: (tenant, id, otherId) => lineage.areRelated(tenant, id, otherId),
    },
    logs: { errors: (execution) => contents.errors(execution) },
  };
}

/** Data for host functions outside of executions: secrets and KV pairs of a namespace. */
export function namespaceValues({ secrets, kvPairs }: Pick<HostServices, "secrets" | "kvPairs">): HostValues {
  return {
    secret: (tenant, namespace, name, usedBy) => secrets.valueFor(tenant, { namespace, name }, usedBy),
    async kvPair(tenant, { namespace, key, isExact, from }) {
      const found = await kvPairs.valueFor(tenant, { namespace, key }, { isExact });
      if (!found) await kvPairs.checkAccess(tenant, namespace, from);
      return found?.value;
    },
  };
}

function filePort(files: Files, contents: ExecutionContents): FilePort {
  return {
    async stat(tenant, place) {
      if (!("namespace" in place)) return await contents.file(tenant, place);
      const record = await undefinedIfMissing(() => files.stat({ tenant }, place.namespace, place.path));
      return record?.content && { size: record.content.size, revision: record.revision };
    },
    async open(tenant, place) {
      if (!("namespace" in place)) {
        const file = await contents.file(tenant, place);
        return file && { size: file.size, content: file.open() };
      }
      return await openNamespaceFile(files, tenant, place);
    },
  };
}

async function openNamespaceFile(
  files: Files,
  tenant: string,
  { namespace, path }: Extract<FilePlace, { readonly namespace: string }>,
) {
  const opened = await undefinedIfMissing(() => files.open({ tenant }, namespace, path));
  if (!opened) return undefined;
  const { record, content } = opened;
  return { size: record.content?.size ?? 0, revision: record.revision, content };
}

/** Sends the requests of `http()`. */
export function createExpressionHttp(client: HttpClientPort): HttpPort {
  return {
    async call({ method, uri, headers, body, options }) {
      const contentType = headers.get("content-type") ?? "application/json";
      const response = await client.send({
        method,
        uri,
        headers: [...headers],
        body: body === undefined ? undefined : textBody(body, contentType),
        options: keptInMemory(readHttpOptions(options)),
      });
      return {
        code: response.code,
        contentType: headerOf(response.headers, "content-type") ?? "",
        body: await responseText(response),
      };
    },
  };
}

function textBody(text: string, contentType: string): HttpBody {
  const bytes = new TextEncoder().encode(text);
  const content = async function* () {
    yield bytes;
  };
  return { contentType, size: bytes.length, open: content };
}
