/** The thread that derives keys of passwords. */
import { type MessagePort, parentPort } from "node:worker_threads";
import { type PasswordKeyInput, passwordKeyNow } from "../base/crypto/password_key.ts";
import { lowerThreadPriority } from "./current_thread.ts";

function serve(port: MessagePort): void {
  lowerThreadPriority();
  port.on("message", (input: PasswordKeyInput) => port.postMessage(keyOf(input)));
}

/** `undefined` if it fails: the server tries it then, and tells the reason. */
function keyOf(input: PasswordKeyInput): Uint8Array | undefined {
  try {
    return passwordKeyNow(input);
  } catch {
    return undefined;
  }
}

if (parentPort) serve(parentPort);
