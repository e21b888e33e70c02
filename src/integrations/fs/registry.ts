/** The task types and triggers of servers of files, and of commands by SSH. */
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import type { RealtimeDefinition, TriggerDefinition } from "../../model/triggers/trigger_definition.ts";
import type { Protocol } from "./connection.ts";
import { checkMount } from "./local/check_mount.ts";
import type { Place } from "./local/place.ts";
import { localDownload, localDownloads, localList, localTrigger } from "./local/read_tasks.ts";
import { localCopy, localDelete, localMove, localUpload, localUploads } from "./local/write_tasks.ts";
import { fileTrigger } from "./file_trigger.ts";
import { downloadsTask, downloadTask, listTask } from "./read_tasks.ts";
import { tcpTrigger, udpTrigger } from "./socket_triggers.ts";
import { tcpSend, udpSend } from "./sockets.ts";
import { sshCommand } from "./ssh_command.ts";
import { deleteTask, moveTask, uploadsTask, uploadTask } from "./write_tasks.ts";

const PROTOCOLS: readonly Protocol[] = ["ftp", "ftps", "sftp"];
const PLACES: readonly Place[] = ["local", "nfs"];
const TASKS = [deleteTask, downloadTask, downloadsTask, listTask, moveTask, uploadTask, uploadsTask];

/** Types below `fs.`. */
export const FS_TASKS: readonly TaskDefinition[] = Object.freeze([
  sshCommand,
  tcpSend,
  udpSend,
  ...[localDownload, localDownloads, localUpload, localUploads, checkMount],
  ...PLACES.flatMap((place) => [localCopy, localDelete, localList, localMove].map((task) => task(place))),
  ...PROTOCOLS.flatMap((protocol) => TASKS.map((task) => task(protocol))),
]);

/** Triggers below `fs.`. */
export const FS_TRIGGERS: readonly TriggerDefinition[] = Object.freeze([
  ...PROTOCOLS.map(fileTrigger),
  ...PLACES.map(localTrigger),
]);

/** Realtime triggers below `fs.`. */
export const FS_REALTIME_TRIGGERS: readonly RealtimeDefinition[] = Object.freeze([tcpTrigger, udpTrigger]);
