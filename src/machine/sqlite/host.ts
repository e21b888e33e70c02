/** The process of a SQLite database. Its main thread waits for the end of its input, which ends even a running statement. */
import { sourceUrl } from "../../base/source_url.ts";
import { readLines } from "../json_lines.ts";
import type { ToSqlite } from "./messages.ts";

/** Works until its input ends. Never returns. */
export async function runSqliteHost(): Promise<never> {
  let worker: Worker | undefined;
  for await (const line of readLines(Deno.stdin.readable)) {
    worker ??= start(JSON.parse(line));
    worker.postMessage(line);
  }
  Deno.exit(0);
}

function start(message: ToSqlite): Worker {
  const paths = message.type === "open" ? [message.directory] : [];
  const worker = new Worker(sourceUrl("machine/sqlite/worker.ts"), {
    type: "module",
    deno: { permissions: { read: paths, write: paths } },
  });
  worker.onerror = ({ message }) => {
    Deno.stderr.writeSync(new TextEncoder().encode(`${message}\n`));
    Deno.exit(1);
  };
  return worker;
}

if (import.meta.main) await runSqliteHost();
