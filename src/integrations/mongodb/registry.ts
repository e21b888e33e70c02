/** The types of MongoDB. */
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import type { TriggerDefinition } from "../../model/triggers/trigger_definition.ts";
import { bulk, load } from "./bulk.ts";
import { aggregate, find, mongodbTrigger } from "./find.ts";
import { deleteDocuments, insertOne, update } from "./write.ts";

/** Types below `mongodb.`. */
export const MONGODB_TASKS: readonly TaskDefinition[] = Object.freeze([
  aggregate,
  bulk,
  deleteDocuments,
  find,
  insertOne,
  load,
  update,
]);

/** Polling triggers below `mongodb.`. */
export const MONGODB_TRIGGERS: readonly TriggerDefinition[] = Object.freeze([mongodbTrigger]);
