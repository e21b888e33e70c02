/** The types of all integrations. Importing it loads them, so that catalogs find each. */
import { loadAllTypes } from "../../../src/integrations/loading.ts";
import { INTEGRATION_GROUPS } from "../../../src/integrations/registry.ts";

await loadAllTypes();
const groups = await Promise.all(INTEGRATION_GROUPS.map((group) => group.load()));

/** Definitions of tasks, in the order of the groups. */
export const INTEGRATION_TASKS = groups.flatMap(({ tasks }) => tasks);

/** Definitions of triggers, those that poll first. */
export const INTEGRATION_TRIGGERS = [
  ...groups.flatMap(({ triggers = [] }) => triggers),
  ...groups.flatMap(({ realtimeTriggers = [] }) => realtimeTriggers),
];

/** The types of objects within properties of tasks. */
export const INTEGRATION_PARTS = groups.flatMap(({ parts = [] }) => parts);
