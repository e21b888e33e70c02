/** Builds the services of what belongs to namespaces: KV pairs, secrets, files. */
import {
  readEnvironmentSecrets,
  SECRET_VARIABLE_PREFIX,
} from "../services/namespaces/environment_secrets.ts";
import { Files } from "../services/files/files.ts";
import type { Flows } from "../services/flows/flows.ts";
import { KvPairs } from "../services/namespaces/kv_pairs.ts";
import { Secrets } from "../services/namespaces/secrets.ts";
import type { Tenants } from "../services/access/tenants.ts";
import type { Blobs } from "../store/blobs/blobs.ts";
import { FileRecords } from "../store/records/file_records.ts";
import { KvPairRecords } from "../store/records/kv_pair_records.ts";
import { SecretRecords } from "../store/records/secret_records.ts";
import type { ServicesOptions } from "./services_options.ts";

/** What belongs to namespaces. */
export interface NamespaceServices {
  readonly kvPairs: KvPairs;
  readonly secrets: Secrets;
  readonly files: Files;
}

/** What they work with. */
interface NamespaceServicesParts {
  readonly tenants: Tenants;
  readonly flows: Flows;
  readonly blobs: Blobs;
}

/** Builds them. */
export function createNamespaceServices(
  { store, committer, clock, logger, cipher, maxUploadBytes, secrets: given }: ServicesOptions,
  { tenants, flows, blobs }: NamespaceServicesParts,
): NamespaceServices {
  const environment = readEnvironmentSecrets(withPrefix(given), logger);
  const secrets = new Secrets({ records: new SecretRecords(store, committer), cipher, clock, environment });
  const kvPairs = new KvPairs({
    records: new KvPairRecords({ store, committer, blobs }),
    clock,
    tenants: () => tenants.list().map((tenant) => tenant.id),
  });
  const importFlow = async (tenant: string, namespace: string, source: string) => {
    await flows.putInto({ tenant, user: "import" }, namespace, source);
  };
  const files = new Files({
    records: new FileRecords(store),
    blobs,
    committer,
    clock,
    maxUploadBytes,
    importFlow,
  });
  return { kvPairs, secrets, files };
}

function withPrefix(secrets: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...secrets].map(([name, value]) => [SECRET_VARIABLE_PREFIX + name, value]));
}
