/** The triggers that start an execution for new files of a server, for each protocol. */
import { type JsonObject, ownProperty, setOwnProperty } from "../../base/json.ts";
import { defineTrigger, type TriggerDefinition } from "../../model/triggers/trigger_definition.ts";
import { connectionProperties, type Protocol } from "./connection.ts";
import { withRemoteFiles } from "./session.ts";
import { SELECTION_PROPERTIES } from "./paths.ts";
import { ACTION_PROPERTIES, selected, STORED_OUTPUTS, take } from "./read_tasks.ts";
import type { RemoteFile } from "./remote_files.ts";

/** Characters of a mark of a file: with its path as a name a trigger remembers some hundred files. */
const MARK_CHARS = 8;

/** `Trigger`. A file that stays on the server starts an execution again when its size or date changes. */
export function fileTrigger(protocol: Protocol): TriggerDefinition {
  return defineTrigger({
    type: `fs.${protocol}.Trigger`,
    title: `Start when files arrive on a server of ${protocol.toUpperCase()}`,
    description:
      `Starts an execution for new files of a folder of a server of ${protocol.toUpperCase()}. With the action \`NONE\` at most some hundred files may stay in the folder.`,
    properties: { ...connectionProperties(protocol), ...SELECTION_PROPERTIES, ...ACTION_PROPERTIES },
    outputs: STORED_OUTPUTS,
    poll: (context) =>
      withRemoteFiles(protocol, context, async (files) => {
        const { action, maxFiles } = context.properties;
        const found = await selected(files, context);
        const known = context.state.get() ?? {};
        const marks = action === "NONE" ? await marksOf(found) : new Map<RemoteFile, Mark>();
        const isNew = (file: RemoteFile) => {
          const mark = marks.get(file);
          return mark === undefined || ownProperty(known, mark.name) !== mark.content;
        };
        const fresh = found.filter(isNew).slice(0, Number(maxFiles));
        if (fresh.length === 0) return undefined;
        const outputs = await take(files, context, fresh);
        if (action === "NONE") {
          const seen = found.filter((file) => !isNew(file) || fresh.includes(file));
          context.state.set(stateOf(seen.flatMap((file) => marks.get(file) ?? [])));
        }
        return outputs;
      }),
  });
}

interface Mark {
  readonly name: string;
  readonly content: string;
}

async function marksOf(files: readonly RemoteFile[]): Promise<Map<RemoteFile, Mark>> {
  const marks = new Map<RemoteFile, Mark>();
  for (const file of files) {
    const { path, size, updatedAt } = file;
    marks.set(file, { name: await shortHash(path), content: await shortHash(`${size} ${updatedAt}`) });
  }
  return marks;
}

/** What is gone from the server is forgotten. */
function stateOf(marks: readonly Mark[]): JsonObject {
  const state: JsonObject = {};
  for (const { name, content } of marks) setOwnProperty(state, name, content);
  return state;
}

async function shortHash(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(digest).toBase64().slice(0, MARK_CHARS);
}
