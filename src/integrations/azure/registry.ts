/** The types for Microsoft Azure. */
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import type { TriggerDefinition } from "../../model/triggers/trigger_definition.ts";
import {
  adlsDelete,
  adlsDeleteFiles,
  adlsList,
  adlsRead,
  adlsReads,
  adlsTrigger,
  adlsUpload,
} from "./adls/types.ts";
import { adlsAppend, adlsLease, adlsSetAccessControl } from "./adls/update.ts";
import { blobCopy, blobDelete, blobDeleteList, blobUpload } from "./blob/change.ts";
import { blobDownload, blobDownloads, blobList, blobTrigger } from "./blob/read.ts";
import { adlsSharedAccess, blobSharedAccess } from "./blob/shared_access.ts";
import { cosmosBatch, cosmosCreateItem, cosmosDelete } from "./cosmosdb/items.ts";
import { cosmosQueries, cosmosQuery } from "./cosmosdb/queries.ts";
import { tableBulk } from "./table/bulk.ts";
import { tableDelete, tableGet, tableList } from "./table/read.ts";

/** Types below `azure.`. */
export const AZURE_TASKS: readonly TaskDefinition[] = Object.freeze([
  adlsAppend,
  adlsDelete,
  adlsDeleteFiles,
  adlsLease,
  adlsList,
  adlsRead,
  adlsReads,
  adlsSetAccessControl,
  adlsSharedAccess,
  adlsUpload,
  blobCopy,
  blobDelete,
  blobDeleteList,
  blobDownload,
  blobDownloads,
  blobList,
  blobSharedAccess,
  blobUpload,
  cosmosBatch,
  cosmosCreateItem,
  cosmosDelete,
  cosmosQueries,
  cosmosQuery,
  tableBulk,
  tableDelete,
  tableGet,
  tableList,
]);

/** Polling triggers below `azure.`. */
export const AZURE_TRIGGERS: readonly TriggerDefinition[] = Object.freeze([adlsTrigger, blobTrigger]);
