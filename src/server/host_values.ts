/** Where functions of expressions get their data from: the services. */
import type { FilePlace, FilePort, HostValues } from "../rendering/host_functions/mod.ts";
import type { ExecutionContents } from "../services/executions/execution_contents.ts";
import type { ExecutionLineage } from "../services/executions/execution_lineage.ts";
import type { Files } from "../services/files/files.ts";
import { undefinedIfMissing } from "../model/errors.ts";
import type { KvPairs } from "../services/namespaces/kv_pairs.ts";
import type { Secrets } from "../services/namespaces/secrets.ts";

/** The services that expressions read from. */
export interface HostSources {
  readonly secrets: Secrets;
  readonly kvPairs: KvPairs;
  readonly files: Files;
  readonly contents: ExecutionContents;
  readonly lineage: ExecutionLineage;
}

/** What expressions of executions see. */
export function createHostValues({ secrets, kvPairs, files, contents, lineage }: HostSources): HostValues {
  return {
    ...namespaceValues({ secrets, kvPairs }),
    files: {
      ...filePort(files, contents),
      areRelated: (tenant, id, otherId) => lineage.areRelated(tenant, id, otherId),
    },
    logs: { errors: (execution) => contents.errors(execution) },
  };
}

/** What expressions outside of executions see: secrets and KV pairs of their namespace. */
export function namespaceValues({ secrets, kvPairs }: Pick<HostSources, "secrets" | "kvPairs">): HostValues {
  return {
    secret: (tenant, namespace, name) => secrets.valueFor(tenant, { namespace, name }),
    kvPair: async (tenant, { namespace, key, isExact }) =>
      (await kvPairs.valueFor(tenant, { namespace, key }, { isExact }))?.value,
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
