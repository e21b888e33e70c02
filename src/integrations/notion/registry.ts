/** The types of Notion. */
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import { PAGE_TASKS } from "./pages.ts";

/** Types below `notion.`. */
export const NOTION_TASKS: readonly TaskDefinition[] = Object.freeze([...PAGE_TASKS]);
