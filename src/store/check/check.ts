/** Checks all data of a database that no server uses: every record decodes, references hold, what is derived agrees. */
import { isId } from "../../base/id.ts";
import { MAIN_TENANT, type TenantId } from "../../model/flows/flow.ts";
import { decodeJson } from "../codec.ts";
import { chainKey, globalKeys, INSTANCE, keysAfter, kindsAfter, TENANTS } from "../keys.ts";
import { oldChainKey } from "../old_keys.ts";
import { decodeAudit } from "../records/audit_records.ts";
import { decodeAssignment } from "../records/assignment_records.ts";
import { decodeTenant } from "../records/access/tenant_records.ts";
import { decodeToken } from "../records/access/token_records.ts";
import { decodeUser } from "../records/access/user_records.ts";
import type { Selector, Store } from "../store.ts";
import { CheckContext, type CheckOptions } from "./context.ts";
import { ExecutionsCheck } from "./executions_check.ts";
import { CheckedFlows } from "./flows_check.ts";
import { RecordsCheck } from "./records_check.ts";
import { OwnedValues, readIntents } from "./values_check.ts";
import { WakeCheck } from "./wake_check.ts";

/** First parts of the keys that belong to no tenant. */
const GLOBAL_KINDS = [
  "audit",
  "beat",
  "bi",
  "chain",
  "fi",
  "g",
  "lease",
  "mb",
  "meta",
  "mr",
  "ob",
  "oe",
  "td",
  "tenant",
  "tm",
  "token",
  "user",
  "wa",
  "xd",
  "~chain",
  "~g",
];
/** Second parts of the keys of a tenant. */
const TENANT_KINDS = [
  ...["b", "cs", "da", "ef", "f", "fc", "fr", "ie", "ik", "kv", "kx", "l", "m", "nf", "nr", "ns"],
  ...["r", "s", "t", "tc", "te", "ti", "tr", "tw", "x", "xb", "xc", "xq", "xr"],
];

/** Reads everything once. */
export async function checkStore(store: Store, options: CheckOptions = {}): Promise<CheckContext> {
  const context = new CheckContext(store, options);
  await checkChain(context);
  const tenants = context.tenants = await checkTenants(context);
  const flows = new CheckedFlows();
  for (const tenant of tenants) await flows.read(tenant, context);
  const intents = await readIntents(context);
  const wake = new WakeCheck(context);
  await wake.read(tenants);
  const values = new Values();
  const records = new RecordsCheck({ context, flows, valuesOf: (tenant, owner) => values.of(tenant, owner) });
  for (const tenant of tenants) {
    const otherValues = (owner: string) => values.of(tenant, owner);
    await new ExecutionsCheck(tenant, { context, flows, wake, intents, otherValues }).run();
    await records.run(tenant);
  }
  await records.checkTriggers(tenants);
  wake.finish();
  values.finish(context, intents, wake);
  return context;
}

/** Values of owners that are no stored executions. */
class Values {
  readonly #owned = new Map<
    string,
    { readonly tenant: TenantId; readonly owner: string; readonly values: OwnedValues }
  >();

  of(tenant: TenantId, owner: string): OwnedValues {
    const name = `${tenant}/${owner}`;
    const known = this.#owned.get(name) ?? { tenant, owner, values: new OwnedValues(tenant, owner) };
    this.#owned.set(name, known);
    return known.values;
  }

  finish(context: CheckContext, intents: ReadonlySet<string>, wake: WakeCheck): void {
    for (const { tenant, owner, values } of this.#owned.values()) {
      if (isId(owner) && wake.isBeingRemoved(tenant, owner)) continue;
      values.finish(context, intents);
    }
  }
}

async function checkChain(context: CheckContext): Promise<void> {
  const key = chainKey(INSTANCE);
  const entry = await context.store.get(key) ?? await context.store.get(oldChainKey(INSTANCE));
  if (entry && context.decode(entry, ({ value }) => decodeJson(value))) return;
  context.found("chain_missing", key);
}

/** The tenants that are not being removed; reports keys of others, and of unknown kinds. */
async function checkTenants(context: CheckContext): Promise<TenantId[]> {
  for await (const entry of context.read(globalKeys("token"), "tokens")) context.decode(entry, decodeToken);
  for await (const entry of context.read(globalKeys("user"), "users")) context.decode(entry, decodeUser);
  for await (const entry of context.read(globalKeys("audit"), "records of the audit log")) {
    context.decode(entry, decodeAudit);
  }
  for await (const entry of context.read(globalKeys("wa"), "attempts on workers")) {
    context.decode(entry, decodeAssignment);
  }
  for await (const entry of context.read(globalKeys("fi"), "marks of files to remove")) {
    context.decode(entry, ({ value }) => decodeJson(value));
  }
  const known = new Set([MAIN_TENANT]);
  const current = [MAIN_TENANT];
  for await (const entry of context.read(TENANTS, "tenants")) {
    const stored = context.decode(entry, decodeTenant);
    known.add(String(entry.key[1]));
    if (stored && !stored.isRemoved) current.push(stored.tenant.id);
  }
  for await (const first of partsOf(context, keysAfter, 0)) {
    if (GLOBAL_KINDS.includes(first) || known.has(first)) continue;
    context.found("unknown_tenant", [first]);
  }
  for (const tenant of current) {
    for await (const kind of partsOf(context, (last) => kindsAfter(tenant, last), 1)) {
      if (!TENANT_KINDS.includes(kind)) context.found("unknown_key", [tenant, kind]);
    }
  }
  return current;
}

/** The distinct texts at a position of the keys, by jumping from one to the next. */
async function* partsOf(
  { store }: CheckContext,
  after: (last: string | undefined) => Selector,
  position: number,
): AsyncGenerator<string> {
  let last: string | undefined;
  for (;;) {
    const [entry] = await Array.fromAsync(store.list(after(last), { limit: 1 }));
    if (!entry) return;
    last = String(entry.key[position]);
    yield last;
  }
}
