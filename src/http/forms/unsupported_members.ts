/** Members of entities that have an effect on other servers and none here: refused by name, never dropped. */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { invalidEntity } from "../refusals.ts";

const STORAGE = "all files are in the data directory of the server";
const SECRETS = "secrets are stored by this server";
const WORKERS = 'declare "workerGroup" in each flow or task';

/** Of tenants and namespaces, each with what to do instead. */
export const SERVER_WIDE: readonly (readonly [name: string, remedy: string])[] = [
  ["concurrency", 'declare "concurrency" in each flow'],
  ["quotas", "limit tenants by the --quota options of the server"],
  ["storageType", STORAGE],
  ["storageConfiguration", STORAGE],
  ["secretType", SECRETS],
  ["secretReadOnly", SECRETS],
  ["secretConfiguration", SECRETS],
  ["workerGroup", WORKERS],
  ["defaultWorkerSelector", WORKERS],
  ["outputsInInternalStorage", "large outputs are stored apart by themselves"],
  ["sdkDefaultAuthentication", "give credentials in the task"],
];

/**
 * Refuses these members, unless their value enables nothing: null, false, empty, or made of such values.
 * @throws DomainError invalid_entity: names the first one
 */
export function refuseMembers(body: JsonObject, refused: ReadonlyMap<string, string>): void {
  for (const [name, remedy] of refused) {
    if (enablesNothing(ownProperty(body, name))) continue;
    throw invalidEntity(`${name}: is not supported; ${remedy}, or leave it out`);
  }
}

function enablesNothing(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === false || value === "") return true;
  if (Array.isArray(value)) return value.every(enablesNothing);
  return isJsonObject(value) && Object.values(value).every(enablesNothing);
}
