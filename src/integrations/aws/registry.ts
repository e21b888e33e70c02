/** The types for Amazon Web Services and MinIO. */
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import type { RealtimeDefinition, TriggerDefinition } from "../../model/triggers/trigger_definition.ts";
import { athenaQuery } from "./athena.ts";
import {
  dynamodbDeleteItem,
  dynamodbGetItem,
  dynamodbPutItem,
  dynamodbQuery,
  dynamodbScan,
} from "./dynamodb.ts";
import { eventbridgePutEvents, kinesisPutRecords, snsPublish } from "./events.ts";
import { lambdaInvoke } from "./lambda.ts";
import { s3Copy, s3CreateBucket, s3Delete, s3DeleteList } from "./s3/change.ts";
import { s3Download, s3Downloads, s3Trigger } from "./s3/download.ts";
import { AMAZON_S3, MINIO, type S3Flavor } from "./s3/flavor.ts";
import { s3List } from "./s3/list.ts";
import { s3Upload } from "./s3/upload.ts";
import { sqsConsume, sqsPublish, sqsRealtimeTrigger, sqsTrigger } from "./sqs.ts";

function s3Tasks(flavor: S3Flavor): TaskDefinition[] {
  return [s3Copy, s3CreateBucket, s3Delete, s3DeleteList, s3Download, s3Downloads, s3List, s3Upload]
    .map((define) => define(flavor));
}

/** Types below `aws.` and `minio.`. */
export const AWS_TASKS: readonly TaskDefinition[] = Object.freeze([
  athenaQuery,
  dynamodbDeleteItem,
  dynamodbGetItem,
  dynamodbPutItem,
  dynamodbQuery,
  dynamodbScan,
  eventbridgePutEvents,
  kinesisPutRecords,
  lambdaInvoke,
  snsPublish,
  sqsConsume,
  sqsPublish,
  ...s3Tasks(AMAZON_S3),
  ...s3Tasks(MINIO),
]);

/** Polling triggers below `aws.` and `minio.`. */
export const AWS_TRIGGERS: readonly TriggerDefinition[] = Object.freeze([
  s3Trigger(AMAZON_S3),
  s3Trigger(MINIO),
  sqsTrigger,
]);

/** Realtime triggers below `aws.`. */
export const AWS_REALTIME_TRIGGERS: readonly RealtimeDefinition[] = Object.freeze([sqsRealtimeTrigger]);
