/** The triggers that start an execution for new files of a server, for each protocol. */
import { type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import {
  defineTrigger,
  type TriggerContext,
  type TriggerDefinition,
} from "../../model/triggers/trigger_definition.ts";
import { fileMark, isMarked, stateOfMarks, takeArrived } from "../arrived_files.ts";
import { connectionProperties, type Protocol } from "./connection.ts";
import { withRemoteFiles } from "./session.ts";
import { SELECTION_PROPERTIES, SORT_PROPERTIES } from "./paths.ts";
import { ACTION_PROPERTIES, actionOf, selected, STORED_OUTPUTS, storeFiles } from "./read_tasks.ts";
import type { RemoteFile } from "./remote_files.ts";

/** `Trigger`. A file that stays on the server starts an execution again when its size or date changes. */
export function fileTrigger(protocol: Protocol): TriggerDefinition {
  return defineTrigger({
    type: `fs.${protocol}.Trigger`,
    title: `Start when files arrive on a server of ${protocol.toUpperCase()}`,
    description:
      `Starts an execution for new files of a folder of a server of ${protocol.toUpperCase()}. With the action \`NONE\` at most some hundred files may stay in the folder.`,
    properties: {
      ...connectionProperties(protocol),
      ...SELECTION_PROPERTIES,
      ...SORT_PROPERTIES,
      ...ACTION_PROPERTIES,
    },
    outputs: STORED_OUTPUTS,
    poll: (context) =>
      withRemoteFiles(protocol, context, async (files) => {
        const found = await selected(files, context);
        if (context.properties.action === "NONE") {
          return await takeNew(context, found, (fresh) => storeFiles(files, context, fresh));
        }
        const finish = actionOf(context);
        return await takeArrived(context, found, {
          identify,
          store: (fresh) => storeFiles(files, context, fresh),
          // The connection of the poll is closed by then.
          finishing: (work) =>
            withRemoteFiles(protocol, context, (later) => work((file) => finish(later, file))),
        });
      }),
  });
}

/**
 * Takes files that stay where they are: the state has marks of all that were taken and are there still. Of those that are new or
 * have changed, the property `on` chooses.
 */
export async function takeNew(
  { properties: { maxFiles, on }, state }: Pick<TriggerContext, "properties" | "state">,
  found: readonly RemoteFile[],
  store: (fresh: readonly RemoteFile[]) => Promise<JsonObject>,
): Promise<JsonObject | undefined> {
  const known = state.get();
  const marked = await Promise.all(
    found.map(async (file) => ({ file, mark: await fileMark(...identify(file)) })),
  );
  const [seen, changed] = partition(marked, ({ mark }) => isMarked(known, mark));
  const [wanted, passed] = partition(
    changed,
    ({ mark }) => isWanted(on, versionOf(known, mark) !== undefined),
  );
  const fresh = wanted.slice(0, Number(maxFiles));
  if (fresh.length + passed.length === 0) return undefined;
  const outputs = fresh.length === 0 ? undefined : await store(fresh.map(({ file }) => file));
  // The next poll must still see the others as changed.
  const left = wanted.slice(fresh.length).flatMap(({ mark }) => {
    const version = versionOf(known, mark);
    return version === undefined ? [] : [{ name: mark.name, version }];
  });
  state.set(stateOfMarks([...[...seen, ...passed, ...fresh].map(({ mark }) => mark), ...left]));
  return outputs;
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): readonly [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

function versionOf(known: JsonObject = {}, { name }: { readonly name: string }): string | undefined {
  const version = ownProperty(known, name);
  return typeof version === "string" ? version : undefined;
}

/** Whether a file that is new or has changed starts an execution. */
function isWanted(on: JsonValue | undefined, isKnown: boolean): boolean {
  return on === "CREATE" ? !isKnown : on !== "UPDATE" || isKnown;
}

/** What distinguishes a file: its path, and a text that changes with each write of it. */
export function identify({ path, size, updatedAt }: RemoteFile): [name: string, version: string] {
  return [path, `${size} ${updatedAt}`];
}
