/** All trigger types and condition types. A new trigger is a file of its own and a line here. */
import type { TriggerCatalog, TriggerType } from "../model/triggers/trigger_catalog.ts";
import type { TypeDeclaration } from "../model/flows/type_declaration.ts";
import { LoadedTypes } from "../tasks/definition/loaded_types.ts";
import { realtimeTypeOf, triggerTypeOf } from "../tasks/definition/trigger_type.ts";
import { CONDITION_TYPES } from "./conditions/registry.ts";
import { dependenciesOf } from "./depends_on.ts";
import { preconditionsOf } from "./preconditions.ts";
import { flowTrigger } from "./flow.ts";
import { httpTrigger } from "./http.ts";
import { scheduleTrigger } from "./schedule.ts";
import { scheduleOnDatesTrigger } from "./schedule_on_dates.ts";
import { slackEventsTrigger } from "./slack_events.ts";
import { webhookTrigger } from "./webhook.ts";

const TRIGGER_TYPES: readonly TriggerType[] = [
  flowTrigger,
  httpTrigger,
  scheduleTrigger,
  scheduleOnDatesTrigger,
  slackEventsTrigger,
  webhookTrigger,
];

const INTEGRATIONS = new LoadedTypes<TriggerType>(({ triggers = [], realtimeTriggers = [] }) => [
  ...triggers.map(triggerTypeOf),
  ...realtimeTriggers.map(realtimeTypeOf),
]);

/** The catalog of the built-in types and of `extra` ones. */
export function createTriggerCatalog(extra: readonly TriggerType[] = []): TriggerCatalog {
  const types = [...TRIGGER_TYPES, ...extra];
  const triggers = byName(types);
  const conditions = byName(CONDITION_TYPES);
  return {
    find: (kind) => triggers.get(kind) ?? INTEGRATIONS.find(kind),
    list: () => sorted([...types, ...INTEGRATIONS.list()]),
    findCondition: (kind) => conditions.get(kind),
    listConditions: () => sorted(CONDITION_TYPES),
    preconditionsOf,
    dependenciesOf,
  };
}

function byName<T extends TypeDeclaration>(types: readonly T[]): ReadonlyMap<string, T> {
  return new Map(types.flatMap((type) => [type.type, ...type.aliases].map((name) => [name, type] as const)));
}

function sorted<T extends TypeDeclaration>(types: readonly T[]): readonly T[] {
  return [...types].sort((a, b) => a.type < b.type ? -1 : 1);
}
