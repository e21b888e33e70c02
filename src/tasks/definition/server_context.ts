/** The parts of a context that change the server itself, over the ports of an attempt. */
import { normalizeFilePath } from "../../model/namespaces/file_path.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import type {
  ServerDashboards,
  ServerFiles,
  ServerFlows,
  ServerKvPairs,
} from "../../model/tasks/server_task.ts";
import { checkWholeFile } from "../../model/tasks/whole_files.ts";

/** Flows of the tenant of the attempt. */
export function serverFlows({ tenant, ports: { flows } }: RunContext): ServerFlows {
  return {
    list: (namespace, options) => flows.sources(tenant, namespace, options),
    put: (write) => flows.put(tenant, write),
    delete: (key) => flows.delete(tenant, key),
  };
}

/** Dashboards of the tenant of the attempt. */
export function serverDashboards({ tenant, ports: { dashboards } }: RunContext): ServerDashboards {
  return {
    list: () => dashboards.sources(tenant),
    put: (write) => dashboards.put(tenant, write),
    delete: (id) => dashboards.delete(tenant, id),
  };
}

/** Namespace files of the tenant of the attempt. */
export function serverFiles(context: RunContext): ServerFiles {
  const { namespaceFiles } = context.ports;
  return {
    list: (namespace) => namespaceFiles.list(context, namespace),
    async read(namespace, path, maxBytes) {
      const file = await namespaceFiles.open(context, namespace, path);
      if (!file) return undefined;
      try {
        checkWholeFile(path, file.size, maxBytes);
      } catch (error) {
        await file.content.cancel();
        throw error;
      }
      return new Uint8Array(await new Response(file.content).arrayBuffer());
    },
    write: (namespace, path, content) =>
      namespaceFiles.write(context, { namespace, path }, ReadableStream.from([content])),
    delete: (namespace, path) => namespaceFiles.delete(context, { namespace, path, withEmptyFolders: true }),
  };
}

/** KV pairs of the namespace of the attempt. */
export function serverKvPairs({ tenant, namespace, ports: { kvPairs } }: RunContext): ServerKvPairs {
  return {
    get: (key) => kvPairs.get(tenant, { namespace, key }, { isInherited: false }),
    async set(key, text, { ttl, description } = {}) {
      const value = { type: "STRING", value: text } as const;
      await kvPairs.set(tenant, { namespace, key }, { value, ttl, description, overwrite: true });
    },
    async update(key, change) {
      const unchanged = new Error("The pair stays as it is");
      try {
        await kvPairs.update(tenant, { namespace, key }, (current) => {
          const value = change(current);
          if (value === undefined) throw unchanged;
          return { type: "STRING", value };
        });
        return true;
      } catch (error) {
        if (error === unchanged) return false;
        throw error;
      }
    },
    delete: (key) => kvPairs.delete(tenant, { namespace, key }),
  };
}

/** Makes an empty folder of a directory. A script could have left links there. @throws Error it has files, or a link leads to it */
export async function emptyFolder(directory: string, path: string): Promise<string> {
  const name = normalizeFilePath(path);
  let folder = directory;
  for (const part of name === "" ? [] : name.split("/")) {
    folder = `${folder}/${part}`;
    await Deno.mkdir(folder).catch(ifNotExists);
    if ((await Deno.lstat(folder)).isDirectory) continue;
    throw new Error(`Cannot use the folder "${name}": there is a file of that name, or a link`);
  }
  for await (const entry of Deno.readDir(folder)) {
    throw new Error(`Cannot use the folder "${name || "."}": it is not empty, it has "${entry.name}"`);
  }
  return folder;
}

function ifNotExists(error: unknown): void {
  if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
}
