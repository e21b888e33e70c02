/** Files that callers send for inputs: kept as files of an execution, or only measured. */
import type { Flow } from "../../model/flows/flow.ts";
import type { GivenValue } from "../../model/flows/input_value.ts";
import { type ExecutionFiles, executionFileUri } from "../../store/blobs/execution_files.ts";
import type { Mutation } from "../../store/store.ts";

/** A file that a caller sent for an input. */
interface GivenFile {
  readonly name: string;
  readonly stream: ReadableStream<Uint8Array>;
}

/** Keeps an uploaded file of an input, and gives what stands for it. */
export type StoreFile = (inputId: string, file: GivenFile) => Promise<GivenValue>;

/** Whose files they become, and where among them; they are durable with an entry that has `mutations`. */
interface GivenFilesOwner {
  readonly flow: Pick<Flow, "tenant" | "namespace" | "id">;
  readonly executionId: string;
  /** Put before the input's id; without slash at the end. */
  readonly folder: string;
  readonly mutations: Mutation[];
}

/** Keeps files in a folder of an execution. It throws DomainError too_large, storage_full, unavailable. */
export function storeFilesOf(files: ExecutionFiles, owner: GivenFilesOwner): StoreFile {
  const { flow, executionId, folder, mutations } = owner;
  return async (inputId, { name, stream }) => {
    const path = `${folder}/${inputId}/${name}`;
    const stored = await files.write(flow.tenant, executionId, path, stream);
    mutations.push(...stored.mutations);
    // A name has no other character that an address must not have, and no "%": decoding gives the path again.
    const uri = executionFileUri(flow, executionId, path.replaceAll(" ", "%20"));
    return { kind: "file", uri, size: stored.size };
  };
}

/** Reads a file to its end and keeps nothing of it. */
export const measureFile: StoreFile = async (_inputId, { name, stream }) => {
  let size = 0;
  for await (const chunk of stream) size += chunk.length;
  return { kind: "file", uri: `file:///${encodeURIComponent(name)}`, size };
};
