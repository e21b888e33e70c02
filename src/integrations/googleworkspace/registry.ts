/** The types for Google Workspace. */
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import type { TriggerDefinition } from "../../model/triggers/trigger_definition.ts";
import { calendarInsertEvent } from "./calendar.ts";
import { driveCreate, driveDelete, driveDownload, driveExport, driveList, driveUpload } from "./drive.ts";
import { sheetsRead, sheetsReadRange } from "./sheets_read.ts";
import { sheetsCreate, sheetsDelete, sheetsLoad } from "./sheets_write.ts";
import { driveFileCreatedTrigger, sheetModifiedTrigger } from "./triggers.ts";

/** Types below `googleworkspace.`. */
export const GOOGLE_WORKSPACE_TASKS: readonly TaskDefinition[] = Object.freeze([
  calendarInsertEvent,
  driveCreate,
  driveDelete,
  driveDownload,
  driveExport,
  driveList,
  driveUpload,
  sheetsCreate,
  sheetsDelete,
  sheetsLoad,
  sheetsRead,
  sheetsReadRange,
]);

/** Polling triggers below `googleworkspace.`. */
export const GOOGLE_WORKSPACE_TRIGGERS: readonly TriggerDefinition[] = Object.freeze([
  driveFileCreatedTrigger,
  sheetModifiedTrigger,
]);
