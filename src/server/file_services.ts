/** Builds the services through which tasks reach files. */
import type { Clock } from "../base/clock.ts";
import type { IdSource } from "../base/id.ts";
import { AttemptNamespaceFiles } from "../services/executions/attempt_namespace_files.ts";
import { AttemptStorage } from "../services/executions/attempt_storage.ts";
import type { ExecutionContents } from "../services/executions/execution_contents.ts";
import { ExecutionFileViews } from "../services/executions/execution_file_views.ts";
import { ExecutionLineage } from "../services/executions/execution_lineage.ts";
import { FlowCaches } from "../services/files/flow_caches.ts";
import type { Files } from "../services/files/files.ts";
import { ItemExecutions } from "../services/executions/item_executions.ts";
import type { Blobs } from "../store/blobs/blobs.ts";
import type { ExecutionFiles } from "../store/blobs/execution_files.ts";
import type { ExecutionRecords } from "../store/records/execution_records.ts";
import type { Store } from "../store/store.ts";

/** What they are built from. */
interface FileSources {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly store: Store;
  readonly blobs: Blobs;
  readonly maxUploadBytes: number;
  readonly executionFiles: ExecutionFiles;
  readonly contents: ExecutionContents;
  readonly records: ExecutionRecords;
  /** Of namespaces. */
  readonly files: Files;
}

/** Files as attempts see them. */
export interface FileServices {
  readonly lineage: ExecutionLineage;
  readonly attemptStorage: AttemptStorage;
  readonly attemptNamespaceFiles: AttemptNamespaceFiles;
  readonly itemExecutions: ItemExecutions;
  readonly executionFileViews: ExecutionFileViews;
  readonly flowCaches: FlowCaches;
}

/** Builds them. */
export function createFileServices(sources: FileSources): FileServices {
  const { clock, ids, executionFiles, contents, records, files: namespaceFiles } = sources;
  const lineage = new ExecutionLineage(records);
  const storage = { files: executionFiles, contents, namespaceFiles, lineage, clock, ids };
  return {
    lineage,
    attemptStorage: new AttemptStorage(storage),
    attemptNamespaceFiles: new AttemptNamespaceFiles(namespaceFiles),
    itemExecutions: new ItemExecutions(records),
    flowCaches: new FlowCaches({ ...sources, maxBytes: sources.maxUploadBytes }),
    executionFileViews: new ExecutionFileViews({ records, contents }),
  };
}
