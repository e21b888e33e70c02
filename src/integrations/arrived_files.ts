/**
 * Files of other systems that are read, and then moved or deleted. A trigger does that once the execution that it starts is
 * durable. Until then its state has a mark of each file, so that neither a crash nor a refused deletion starts it twice.
 */
import { type JsonObject, ownProperty, setOwnProperty } from "../base/json.ts";
import type { WorkContext } from "../model/tasks/task_definition.ts";
import type { TriggerContext } from "../model/triggers/trigger_definition.ts";

/** Characters of each half of a mark. */
const MARK_CHARS = 8;
/** Marks that fit into the state of a trigger, which has at most 16 KiB. */
const MAX_MARKS = 700;

/** Moves or deletes a file. */
type Finish<F> = (file: F) => Promise<void>;

/** The files that properties select, with the properties `action` and `maxFiles`. */
export interface FileSource<F> {
  /** The first files, at most that many. */
  readonly list: (maxCount: number) => Promise<readonly F[]>;
  /** What distinguishes a file: its name, and a text that changes with each write of it. */
  readonly identify: (file: F) => readonly [name: string, version: string];
  /** Stores files; gives the outputs. */
  readonly store: (files: readonly F[]) => Promise<JsonObject>;
  /** Runs work with what does the action. */
  readonly finishing: (work: (finish: Finish<F>) => Promise<void>) => Promise<void>;
}

/** A file in the state of a trigger. */
interface FileMark {
  readonly name: string;
  readonly version: string;
}

interface MarkedFile<F> {
  readonly file: F;
  readonly mark: FileMark;
}

/** Stores the files, then does the action: what tasks do. */
export async function takeFiles<F>(
  { properties }: Pick<WorkContext, "properties">,
  source: FileSource<F>,
): Promise<JsonObject> {
  const found = await source.list(Number(properties.maxFiles));
  const outputs = await source.store(found);
  if (properties.action === "NONE" || found.length === 0) return outputs;
  await source.finishing(async (finish) => {
    for (const file of found) await finish(file);
  });
  return outputs;
}

/** Outputs for the files of one execution, `undefined` without any. With the action `NONE` each poll finds them again. */
export async function pollFiles<F>(
  context: Pick<TriggerContext, "properties" | "state" | "whenDurable">,
  source: FileSource<F>,
): Promise<JsonObject | undefined> {
  const { properties: { action, maxFiles }, state } = context;
  const known = action === "NONE" ? {} : state.get() ?? {};
  const found = await source.list(Number(maxFiles) + Object.keys(known).length);
  if (action === "NONE") return found.length === 0 ? undefined : await source.store(found);
  return await takeArrived(context, found, source);
}

/** As {@link pollFiles}, of files that were listed: also those for which an execution was started, since they may be there still. */
export async function takeArrived<F>(
  context: Pick<TriggerContext, "properties" | "state" | "whenDurable">,
  found: readonly F[],
  source: Omit<FileSource<F>, "list">,
): Promise<JsonObject | undefined> {
  const { state } = context;
  const known = state.get();
  if (found.length === 0 && known === undefined) return undefined;
  const marked = await Promise.all(
    found.map(async (file) => ({ file, mark: await fileMark(...source.identify(file)) })),
  );
  const started = marked.filter(({ mark }) => isMarked(known, mark)).slice(0, MAX_MARKS);
  const maxCount = Math.min(Number(context.properties.maxFiles), MAX_MARKS - started.length);
  const fresh = marked.filter(({ mark }) => !isMarked(known, mark)).slice(0, maxCount);
  const outputs = fresh.length === 0 ? undefined : await source.store(fresh.map(({ file }) => file));
  const open = [...started, ...fresh];
  state.set(stateOfMarks(open.map(({ mark }) => mark)));
  if (open.length > 0) context.whenDurable(() => finishAll(state, open, source));
  return outputs;
}

/** One that fails does not keep the others from being finished. @throws Error the first of these failures */
async function finishAll<F>(
  state: TriggerContext["state"],
  open: readonly MarkedFile<F>[],
  { finishing }: Pick<FileSource<F>, "finishing">,
): Promise<void> {
  const left = new Set(open);
  const failures: unknown[] = [];
  try {
    await finishing(async (finish) => {
      for (const marked of open) {
        try {
          await finish(marked.file);
          left.delete(marked);
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length > 0) throw failures[0];
    });
  } finally {
    state.set(stateOfMarks([...left].map(({ mark }) => mark)));
  }
}

/** The mark of a file with that name and version. */
export async function fileMark(name: string, version: string): Promise<FileMark> {
  return { name: await shortHash(name), version: await shortHash(version) };
}

/** Whether the state has exactly this mark. */
export function isMarked(state: JsonObject = {}, { name, version }: FileMark): boolean {
  return ownProperty(state, name) === version;
}

/** The state with these marks only. */
export function stateOfMarks(marks: readonly FileMark[]): JsonObject {
  const state: JsonObject = {};
  for (const { name, version } of marks) setOwnProperty(state, name, version);
  return state;
}

/** What stands for a text in the state of a trigger. */
export async function shortHash(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(digest).toBase64().slice(0, MARK_CHARS);
}
