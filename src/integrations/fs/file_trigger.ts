/** The triggers that start an execution for new files of a server, for each protocol. */
import type { JsonObject } from "../../base/json.ts";
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
import type { RemoteFile, RemoteFiles } from "./remote_files.ts";

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
        if (context.properties.action === "NONE") return await takeNew(files, context, found);
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

/** Takes files that stay on the server: the state has marks of all that were taken and are there still. */
async function takeNew(
  files: RemoteFiles,
  context: TriggerContext,
  found: readonly RemoteFile[],
): Promise<JsonObject | undefined> {
  const { properties: { maxFiles }, state } = context;
  const known = state.get();
  const marked = await Promise.all(
    found.map(async (file) => ({ file, mark: await fileMark(...identify(file)) })),
  );
  const seen = marked.filter(({ mark }) => isMarked(known, mark));
  const fresh = marked.filter(({ mark }) => !isMarked(known, mark)).slice(0, Number(maxFiles));
  if (fresh.length === 0) return undefined;
  const outputs = await storeFiles(files, context, fresh.map(({ file }) => file));
  state.set(stateOfMarks([...seen, ...fresh].map(({ mark }) => mark)));
  return outputs;
}

function identify({ path, size, updatedAt }: RemoteFile): [name: string, version: string] {
  return [path, `${size} ${updatedAt}`];
}
