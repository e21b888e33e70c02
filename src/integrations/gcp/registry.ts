/** The types for Google Cloud. */
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import type { RealtimeDefinition, TriggerDefinition } from "../../model/triggers/trigger_definition.ts";
import { bigqueryCreateDataset, bigqueryDeleteDataset, bigqueryUpdateDataset } from "./bigquery/datasets.ts";
import { bigqueryCopy, bigqueryExtractToGcs } from "./bigquery/extract.ts";
import { bigqueryLoad, bigqueryLoadFromGcs } from "./bigquery/load.ts";
import { bigqueryCopyPartitions, bigqueryDeletePartitions } from "./bigquery/partitions.ts";
import { bigqueryQuery, bigqueryTrigger } from "./bigquery/query.ts";
import {
  bigqueryCreateTable,
  bigqueryDeleteTable,
  bigqueryTableMetadata,
  bigqueryUpdateTable,
} from "./bigquery/tables.ts";
import { bigqueryRunTransferConfig } from "./bigquery/transfer_config.ts";
import {
  gcsCreateBucket,
  gcsCreateBucketIamPolicy,
  gcsDeleteBucket,
  gcsUpdateBucket,
} from "./gcs/buckets.ts";
import { gcsCompose, gcsCopy } from "./gcs/copy.ts";
import { gcsDelete, gcsDeleteList } from "./gcs/delete.ts";
import { gcsDownload } from "./gcs/download.ts";
import { gcsDownloads, gcsTrigger } from "./gcs/downloads.ts";
import { gcsList } from "./gcs/list.ts";
import { gcsUpload } from "./gcs/upload.ts";
import { oauthAccessToken } from "./oauth_access_token.ts";
import { pubsubConsume, pubsubPublish, pubsubRealtimeTrigger, pubsubTrigger } from "./pubsub.ts";

/** Types below `gcp.`. */
export const GCP_TASKS: readonly TaskDefinition[] = Object.freeze([
  oauthAccessToken,
  pubsubConsume,
  pubsubPublish,
  bigqueryCopy,
  bigqueryCopyPartitions,
  bigqueryCreateDataset,
  bigqueryCreateTable,
  bigqueryDeleteDataset,
  bigqueryDeletePartitions,
  bigqueryDeleteTable,
  bigqueryExtractToGcs,
  bigqueryLoad,
  bigqueryLoadFromGcs,
  bigqueryQuery,
  bigqueryRunTransferConfig,
  bigqueryTableMetadata,
  bigqueryUpdateDataset,
  bigqueryUpdateTable,
  gcsCompose,
  gcsCopy,
  gcsCreateBucket,
  gcsCreateBucketIamPolicy,
  gcsDelete,
  gcsDeleteBucket,
  gcsDeleteList,
  gcsDownload,
  gcsDownloads,
  gcsList,
  gcsUpdateBucket,
  gcsUpload,
]);

/** Polling triggers below `gcp.`. */
export const GCP_TRIGGERS: readonly TriggerDefinition[] = Object.freeze([
  bigqueryTrigger,
  gcsTrigger,
  pubsubTrigger,
]);

/** Realtime triggers below `gcp.`. */
export const GCP_REALTIME_TRIGGERS: readonly RealtimeDefinition[] = Object.freeze([pubsubRealtimeTrigger]);
