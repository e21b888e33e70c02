/**
 * The process of a backup: reads one request from its input and writes lines. An own process, since one that closes a file
 * gives up all locks that it has on it.
 */
import { readLines } from "../json_lines.ts";
import { copyDatabase } from "./copy.ts";
import type { FromCopy } from "./messages.ts";

/** Copies, and ends the process. The end of the reader of its output ends it, too. */
export async function runBackupHost(): Promise<never> {
  for await (const line of readLines(Deno.stdin.readable)) {
    try {
      await copyDatabase(
        JSON.parse(line),
        (bytes, totalBytes) => send({ type: "progress", bytes, totalBytes }),
      );
      send({ type: "done" });
    } catch (error) {
      send({ type: "failed", message: (error as Error).message });
    }
    break;
  }
  Deno.exit(0);
}

function send(message: FromCopy): void {
  const bytes = new TextEncoder().encode(`${JSON.stringify(message)}\n`);
  try {
    for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
  } catch {
    Deno.exit(1); // The server has ended: nobody wants the copy.
  }
}

if (import.meta.main) await runBackupHost();
