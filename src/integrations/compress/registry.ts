/** The types for archives, compressed and encrypted files. */
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import { archiveCompress, archiveDecompress } from "./archives.ts";
import { fileDecrypt, fileEncrypt } from "./encryption.ts";
import { fileCompress, fileDecompress } from "./files.ts";

/** Types below `compress.`. */
export const COMPRESS_TASKS: readonly TaskDefinition[] = Object.freeze([
  archiveCompress,
  archiveDecompress,
  fileCompress,
  fileDecompress,
  fileEncrypt,
  fileDecrypt,
]);
