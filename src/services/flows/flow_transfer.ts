/** Exports flows as a zip of sources; imports sources and zips. */
import type { Clock } from "../../base/time/clock.ts";
import { splitDocuments } from "../../flow/mod.ts";
import type { Actor } from "../../model/access/actor.ts";
import { DomainError, illegalArgument } from "../../model/errors.ts";
import { MAX_FLOW_SOURCE_BYTES } from "../../model/limits.ts";
import { FLOWS_FOLDER } from "../../model/namespaces/file_path.ts";
import type { ByteSource } from "../../store/blobs/blobs.ts";
import type { FlowHead } from "../../store/records/flow_records.ts";
import { type ArchiveItem, packArchive, unpackEntry } from "../files/file_archive.ts";
import type { Flows } from "./flows.ts";
import { readZipDirectory } from "../files/zip_directory.ts";

/** A file with flows. */
export interface FlowFile {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Bytes of an imported file, which is held in memory. */
export const MAX_FLOW_IMPORT_BYTES = 32 * 1024 * 1024;

const FLOW_FILE = /\.ya?ml$/i;
const ZIP_FILE = /\.zip$/i;

/** The use cases of export and import. */
export class FlowTransfer {
  readonly #flows: Flows;
  readonly #clock: Clock;

  constructor(flows: Flows, clock: Clock) {
    this.#flows = flows;
    this.#clock = clock;
  }

  /** A zip of the sources, `<namespace>.<id>.yml`, packed as it is read. */
  export(actor: Actor, heads: readonly FlowHead[]): ReadableStream<Uint8Array> {
    const items = heads.map((head) => this.#item(actor, head, `${head.namespace}.${head.id}.yml`));
    return packArchive(ReadableStream.from(items));
  }

  /** The sources of the flows of a namespace, as files of its folder of flows. */
  itemsOf(actor: Actor, namespace: string): ArchiveItem[] {
    const heads = [...this.#flows.heads(actor.tenant)].filter((head) =>
      head.namespace === namespace && !head.deleted
    );
    return heads.sort((a, b) => a.id < b.id ? -1 : 1).map((head) =>
      this.#item(actor, head, `${FLOWS_FOLDER}/${head.id}.yml`)
    );
  }

  /**
   * Creates or updates the flows of a file. Returns those that are invalid: indexes of documents, or names of zip entries.
   * @throws DomainError invalid_argument: not a file of flows; with `failOnError` also the first refusal of a flow
   */
  async import(actor: Actor, { name, bytes }: FlowFile, failOnError: boolean): Promise<string[]> {
    if (ZIP_FILE.test(name)) return await this.#importZip(actor, bytes, failOnError);
    if (FLOW_FILE.test(name)) {
      return await this.#save(actor, splitDocuments(new TextDecoder().decode(bytes)), failOnError);
    }
    const shown = name.slice(0, 100);
    throw illegalArgument(`"${shown}" cannot be imported: its name must end in .yml, .yaml or .zip`);
  }

  #item(actor: Actor, head: FlowHead, path: string): ArchiveItem {
    const content = async () => {
      const { source } = await this.#flows.read(actor, head);
      return ReadableStream.from([new TextEncoder().encode(source)]);
    };
    return { path, modifiedAt: this.#clock.now(), content };
  }

  async #importZip(actor: Actor, bytes: Uint8Array<ArrayBuffer>, failOnError: boolean): Promise<string[]> {
    const archive = byteSource(bytes);
    const directory = await readZipDirectory(archive);
    const failed: string[] = [];
    for (const entry of directory.entries.filter(({ path }) => FLOW_FILE.test(path))) {
      if (entry.size > MAX_FLOW_SOURCE_BYTES) {
        failed.push(entry.path);
        continue;
      }
      const chunks = await Array.fromAsync(unpackEntry(archive, directory, entry));
      const sources = splitDocuments(await new Blob(chunks as BlobPart[]).text());
      const wrong = await this.#save(actor, sources, failOnError);
      if (wrong.length > 0) failed.push(entry.path);
    }
    return failed;
  }

  /** Saves the documents one after the other: whether one is valid may depend on another one. */
  async #save(actor: Actor, sources: readonly string[], failOnError: boolean): Promise<string[]> {
    const failed: string[] = [];
    for (const [index, source] of sources.entries()) {
      await this.#flows.put(actor, source).catch((error) => {
        const isRefused = error instanceof DomainError && error.code === "invalid_entity";
        if (failOnError || !isRefused) throw error;
        failed.push(String(index));
      });
    }
    return failed;
  }
}

function byteSource(bytes: Uint8Array<ArrayBuffer>): ByteSource {
  return {
    size: bytes.length,
    read: (offset, length) => Promise.resolve(bytes.slice(offset, offset + length)),
  };
}
