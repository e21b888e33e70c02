/** The thread of a backup, for a server that may not start processes. */
import { parentPort } from "node:worker_threads";
import { copyDatabase, type CopyRequest } from "./copy.ts";
import type { FromCopy } from "./messages.ts";

const send = (message: FromCopy) => parentPort?.postMessage(message);

parentPort?.once("message", (request: CopyRequest) => {
  copyDatabase(request, (bytes, totalBytes) => send({ type: "progress", bytes, totalBytes })).then(
    () => send({ type: "done" }),
    (error: Error) => send({ type: "failed", message: error.message }),
  );
});
