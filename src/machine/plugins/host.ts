/**
 * The process of a plugin: one attempt, poll or connection, or the reading of one definition. Its main thread never runs code of the plugin, so
 * it always notices that the server is gone or that the memory is used up. A thread alone could not be ended: a loop
 * without a pause continues after `Worker.terminate()`, and a full heap ends the whole process.
 */
import { systemClock } from "../../base/time/clock.ts";
import { sourceUrl } from "../../base/source_url.ts";
import { readLines } from "../json_lines.ts";
import type { FromPlugin, PluginWork, ToPlugin } from "./messages.ts";

/** Memory of the whole process, of which some 60 MB are its own. */
const MAX_BYTES = 512 * 1024 * 1024;
/** Code fills some 1 GB a second. */
const MEMORY_CHECK_MS = 20;

/** Works until its input ends. Never returns. */
export async function runPluginHost(): Promise<never> {
  let worker: Worker | undefined;
  watchMemory();
  for await (const line of readLines(Deno.stdin.readable)) {
    const message: ToPlugin = JSON.parse(line);
    if ("fileName" in message) worker = await start(message);
    else worker?.postMessage(message);
  }
  Deno.exit(0);
}

function watchMemory(): void {
  if (Deno.memoryUsage().rss > MAX_BYTES) {
    end({ type: "failed", message: `The plugin used more than ${MAX_BYTES / 1024 / 1024} MB of memory` });
  }
  systemClock.setTimer(MEMORY_CHECK_MS, watchMemory);
}

async function start(work: PluginWork): Promise<Worker> {
  const directories = "directory" in work ? [work.directory] : [];
  const permissions = work.type === "describe"
    ? "none" as const
    : { net: [...work.net], read: directories, write: directories };
  const worker = new Worker(sourceUrl("machine/plugins/worker.ts"), {
    type: "module",
    name: work.fileName,
    deno: { permissions },
  });
  worker.onmessage = ({ data }: MessageEvent<FromPlugin>) => write(data);
  worker.onerror = (event) => {
    event.preventDefault();
    end({ type: "failed", message: `${work.fileName}: ${event.message}` });
  };
  worker.postMessage(work.type === "describe" ? await withoutTypes(work) : work);
  return worker;
}

async function withoutTypes(work: PluginWork & { readonly type: "describe" }): Promise<PluginWork> {
  const { fileName, source } = work;
  if (!fileName.endsWith(".ts")) return work;
  const { transform } = await import("sucrase");
  try {
    const { code } = transform(source, { transforms: ["typescript"], disableESTransforms: true });
    return { ...work, source: code };
  } catch (error) {
    const [, reason, line, column] =
      /^(?:.*?: )?(.*) \((\d+):(\d+)\)$/.exec(String((error as Error).message)) ?? [];
    const text = reason === undefined
      ? String(error)
      : `${fileName}:${line}:${column}: SyntaxError: ${reason}`;
    return end({ type: "failed", message: text });
  }
}

const encoder = new TextEncoder();

function write(message: FromPlugin): void {
  const bytes = encoder.encode(`${JSON.stringify(message)}\n`);
  for (let offset = 0; offset < bytes.length;) offset += Deno.stdout.writeSync(bytes.subarray(offset));
}

function end(message: FromPlugin): never {
  write(message);
  Deno.exit(1);
}

if (import.meta.main) await runPluginHost();
