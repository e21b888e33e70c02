/** Uploaded files of inputs: stored as files of an execution, or only measured. */
import type { Flow, Input } from "../../model/flows/flow.ts";
import type { GivenValue } from "../../model/flows/input_value.ts";
import { type ExecutionFiles, executionFileUri } from "../../store/blobs/execution_files.ts";
import type { Mutation } from "../../store/store.ts";

/** An uploaded file. */
interface GivenFile {
  readonly name: string;
  readonly stream: ReadableStream<Uint8Array>;
}

/** Stores an uploaded file in a subfolder with the id of its input, or in none if that is empty; returns its value. */
export type StoreFile = (inputId: string, file: GivenFile) => Promise<GivenValue>;

/** Reads what the caller sent for these inputs; files go through `store` as they arrive. */
export type ReadForm = (
  inputs: readonly Input[],
  store: StoreFile,
) => ReadonlyMap<string, GivenValue> | Promise<ReadonlyMap<string, GivenValue>>;

/** The execution that owns the files; they become durable with an entry that contains `mutations`. */
interface GivenFilesOwner {
  readonly flow: Pick<Flow, "tenant" | "namespace" | "id">;
  readonly executionId: string;
  /** Prefix of the path, without a slash at the end. */
  readonly folder: string;
  readonly mutations: Mutation[];
}

/** Stores files in a folder of an execution. The function throws DomainError too_large, storage_full, unavailable. */
export function storeFilesOf(files: ExecutionFiles, owner: GivenFilesOwner): StoreFile {
  const { flow, executionId, folder, mutations } = owner;
  return async (inputId, { name, stream }) => {
    const path = [folder, inputId, name].filter((part) => part !== "").join("/");
    const stored = await files.write(flow.tenant, executionId, path, stream);
    mutations.push(...stored.mutations);
    // A name has no other character that an address must not have, and no "%": decoding gives the path again.
    const uri = executionFileUri(flow, executionId, path.replaceAll(" ", "%20"));
    return { kind: "file", uri, size: stored.size };
  };
}

/** Reads a file to its end without storing it. */
export const measureFile: StoreFile = async (_inputId, { name, stream }) => {
  let size = 0;
  for await (const chunk of stream) size += chunk.length;
  return { kind: "file", uri: `file:///${encodeURIComponent(name)}`, size };
};
