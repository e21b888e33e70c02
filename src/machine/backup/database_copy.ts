/**
 * Runs the copy of a database apart from the thread of the server: in a process of its own; in a thread of its own if the
 * server may not start processes. There SQLite itself keeps the locks of the server: Deno KV and `node:sqlite` are one
 * library, which knows all connections of its process.
 */
import { Worker } from "node:worker_threads";
import { sourceUrl } from "../../base/source_url.ts";
import { killHostProcess, readErrors, startHostProcess } from "../host_process.ts";
import { readLines } from "../json_lines.ts";
import type { CopyRequest } from "./copy.ts";
import type { FromCopy } from "./messages.ts";

const HOST = Object.freeze({
  command: "backup-host",
  module: sourceUrl("machine/backup/host.ts"),
  permissions: ["--allow-read", "--allow-write"],
});

/** How a copy is watched and ended. */
interface CopyWatch {
  readonly signal: AbortSignal;
  readonly progress: (bytes: number, totalBytes: number) => void;
}

/** Copies and syncs a database; the target must not exist. @throws Error the reason; what was copied is left */
export async function copyApart(request: CopyRequest, watch: CopyWatch): Promise<void> {
  const run = Deno.permissions.querySync({ name: "run", command: Deno.execPath() });
  await (run.state === "granted" ? copyInProcess : copyInThread)(request, watch);
  watch.signal.throwIfAborted();
}

async function copyInProcess(request: CopyRequest, { signal, progress }: CopyWatch): Promise<void> {
  const child = startHostProcess(HOST);
  const errors = readErrors(child.stderr);
  const input = child.stdin.getWriter();
  input.closed.catch(() => {}); // The end of the process is seen at its output.
  const stop = () => killHostProcess(child);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    await input.write(new TextEncoder().encode(`${JSON.stringify(request)}\n`)).catch(() => {});
    for await (const line of readLines(child.stdout)) {
      if (isDone(JSON.parse(line), progress)) return;
    }
    signal.throwIfAborted();
    throw new Error(`its process ended: ${(await errors).trim()}`);
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
    await input.abort().catch(() => {});
    await child.stdout.cancel().catch(() => {});
    await errors;
    await child.status;
  }
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
