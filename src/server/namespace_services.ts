/** Builds the services of namespaces: what they hold, what refers to them, and their rename. */
import type { Catalogs } from "../flow/mod.ts";
import type { Files } from "../services/files/files.ts";
import { FlowMoves } from "../services/flows/flow_moves.ts";
import type { Flows } from "../services/flows/flows.ts";
import type { NamespaceDefaults } from "../services/flows/namespace_defaults.ts";
import type { KvPairs } from "../services/namespaces/kv_pairs.ts";
import type { ExistingNamespaces } from "../services/namespaces/existing_namespaces.ts";
import { NamespaceRenames } from "../services/namespaces/namespace_renames.ts";
import { NamespaceUsages } from "../services/namespaces/namespace_usage.ts";
import { Namespaces } from "../services/namespaces/namespaces.ts";
import type { Secrets } from "../services/namespaces/secrets.ts";
import type { Catalog } from "../store/catalog/catalog.ts";
import { DashboardRecords } from "../store/records/dashboard_records.ts";
import type { FlowRecords } from "../store/records/flow_records.ts";
import type { NamespaceRecords } from "../store/records/namespace_records.ts";
import { RenameRecords } from "../store/records/rename_records.ts";
import type { ServicesDeps } from "./options.ts";
import type { createTriggerStates } from "./trigger_services.ts";

interface NamespaceServiceDeps {
  readonly flows: Flows;
  readonly flowRecords: FlowRecords;
  readonly secrets: Secrets;
  readonly kvPairs: KvPairs;
  readonly files: Files;
  readonly catalog: Catalog;
  readonly catalogs: Catalogs;
  readonly namespaceRecords: NamespaceRecords;
  readonly existing: ExistingNamespaces;
  readonly defaults: NamespaceDefaults;
  readonly triggerStates: ReturnType<typeof createTriggerStates>;
}

/** Builds the use cases of namespaces as a whole. */
export function createNamespaceServices(deps: ServicesDeps, services: NamespaceServiceDeps) {
  const { store, committer, blobs, executor } = deps;
  const { files, triggerStates: { states, flowTriggers, catalog: triggerTypes } } = services;
  const namespaces = new Namespaces({ ...services, records: services.namespaceRecords });
  const renames = new RenameRecords({ store, committer, blobs });
  const dashboards = new DashboardRecords(store, committer);
  const shared = { ...deps, ...services, renames };
  const namespaceUsages = new NamespaceUsages({ ...shared, triggerTypes, dashboards });
  const flowMoves = new FlowMoves({
    ...shared,
    heads: deps.flowHeads,
    commitMove: async ({ tenant, namespace, id }, flow, move) => {
      await flowTriggers.move({ namespace, id }, flow, move);
      executor.setLimit({ tenant, namespace: flow.namespace, flowId: id }, flow.concurrency?.limit);
      executor.slots.forgetLimit({ tenant, namespace, flowId: id });
    },
  });
  const settling = [files, namespaces, states];
  const namespaceRenames = new NamespaceRenames({ ...shared, flowMoves, usages: namespaceUsages, settling });
  return { namespaces, namespaceUsages, namespaceRenames };
}
