/**
 * Runs the copy of a database apart from the thread of the server: in a process of its own; in a thread of its own if the
 * server may not start processes. There SQLite itself keeps the locks of the server: Deno KV and `node:sqlite` are one
 * library, which knows all connections of its process.
 */
import { Worker } from "node:worker_threads";
import { sourceUrl } from "../../base/source_url.ts";
import { HostProcess, mayStartHosts } from "../host_process.ts";
import type { CopyRequest } from "./copy.ts";
import type { FromCopy } from "./messages.ts";

const HOST = Object.freeze({
  command: "backup-host",
  module: sourceUrl("machine/backup/host.ts"),
  permissions: ["--allow-read", "--allow-write"],
});

/** A message holds numbers, or an error. */
const MAX_MESSAGE_CHARS = 1024 * 1024;

/** How a copy is watched and ended. */
interface CopyWatch {
  readonly signal: AbortSignal;
  readonly progress: (bytes: number, totalBytes: number) => void;
}

/** Copies and syncs a database; the target must not exist. @throws Error the reason; what was copied is left */
export async function copyApart(request: CopyRequest, watch: CopyWatch): Promise<void> {
  await (mayStartHosts() ? copyInProcess : copyInThread)(request, watch);
  watch.signal.throwIfAborted();
}

async function copyInProcess(request: CopyRequest, { signal, progress }: CopyWatch): Promise<void> {
  await using child = new HostProcess(HOST, { maxLineChars: MAX_MESSAGE_CHARS, signal });
  child.send(JSON.stringify(request));
  for (;;) {
    const line = await child.receive();
    if (line === undefined) break;
    if (isDone(JSON.parse(line), progress)) return;
  }
  signal.throwIfAborted();
  throw new Error(`its process ended: ${(await child.end()).errors}`);
}

async function copyInThread(request: CopyRequest, { signal, progress }: CopyWatch): Promise<void> {
  const worker = new Worker(sourceUrl("machine/backup/thread.ts"));
  const over = Promise.withResolvers<void>();
  const stop = () => over.reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  worker.on("message", (message: FromCopy) => {
    try {
      if (isDone(message, progress)) over.resolve();
    } catch (error) {
      over.reject(error);
    }
  });
  worker.on("error", (error: Error) => over.reject(error));
  try {
    worker.postMessage(request);
    await over.promise;
  } finally {
    signal.removeEventListener("abort", stop);
    await worker.terminate();
  }
}

/** @throws Error the copy failed */
function isDone(message: FromCopy, progress: CopyWatch["progress"]): boolean {
  if (message.type === "failed") throw new Error(message.message);
  if (message.type === "progress") progress(message.bytes, message.totalBytes);
  return message.type === "done";
}
