/** Exports flows as a zip of sources; imports sources and zips. */
import type { Clock } from "../../base/time/clock.ts";
import { Turns } from "../../base/time/turn.ts";
import { setNamespace, splitDocuments } from "../../flow/mod.ts";
import type { Actor } from "../../model/access/actor.ts";
import { DomainError, illegalArgument } from "../../model/errors.ts";
import type { Flow, FlowKey } from "../../model/flows/flow.ts";
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

/** What an import has done. */
interface FlowImport {
  readonly saved: readonly FlowKey[];
  /** Those that are invalid: indexes of documents, or names of zip entries. */
  readonly failed: readonly string[];
}

/** A document of an imported file. */
interface FlowDocument {
  /** Its index, or the name of its zip entry. */
  readonly place: string;
  readonly source?: string;
  /** Why a zip entry has no source. */
  readonly refusal?: DomainError;
}

/** Bytes of an imported file, which is held in memory. */
export const MAX_FLOW_IMPORT_BYTES = 32 * 1024 * 1024;

/** Time after which a check of many flows yields to other requests. */
const TURN_MS = 4;
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

  /** Checks that a source can be saved as a flow of the namespace. @throws DomainError invalid_entity */
  async check(actor: Pick<Actor, "tenant">, namespace: string, source: string): Promise<void> {
    await this.#flows.draft(actor, setNamespace(source, namespace));
  }

  /**
   * Creates or updates the flows of a file. With `failOnError` all are checked before the first one is saved.
   * @throws DomainError invalid_argument: not a file of flows; with `failOnError` also the first refusal of a flow
   */
  async import(actor: Actor, file: FlowFile, failOnError: boolean): Promise<FlowImport> {
    if (failOnError) await this.#checkAll(actor, file);
    const saved: FlowKey[] = [];
    const failed = new Set<string>();
    const turns = new Turns(this.#clock, TURN_MS);
    // One after the other: a later document may be the next revision of an earlier one.
    for await (const { place, source } of documentsOf(file)) {
      const flow = source === undefined ? undefined : await this.#put(actor, source, failOnError);
      if (flow) saved.push({ namespace: flow.namespace, id: flow.id });
      else failed.add(place);
      await turns.next(); // A document that is refused waits for nothing.
    }
    return { saved, failed: [...failed] };
  }

  #item(actor: Actor, head: FlowHead, path: string): ArchiveItem {
    const content = async () => {
      const { source } = await this.#flows.read(actor, head);
      return ReadableStream.from([new TextEncoder().encode(source)]);
    };
    return { path, modifiedAt: this.#clock.now(), content };
  }

  async #checkAll(actor: Actor, file: FlowFile): Promise<void> {
    const turns = new Turns(this.#clock, TURN_MS);
    for await (const { source = "", refusal } of documentsOf(file)) {
      if (refusal) throw refusal;
      await this.#flows.draft(actor, source);
      await turns.next();
    }
  }

  /** The saved flow; `undefined` if it is refused. @throws DomainError with `failOnError` also that refusal */
  async #put(actor: Actor, source: string, failOnError: boolean): Promise<Flow | undefined> {
    return await this.#flows.put(actor, source).catch((error) => {
      const isRefused = error instanceof DomainError && error.code === "invalid_entity";
      if (failOnError || !isRefused) throw error;
      return undefined;
    });
  }
}

async function* documentsOf({ name, bytes }: FlowFile): AsyncGenerator<FlowDocument> {
  if (ZIP_FILE.test(name)) yield* zippedDocuments(byteSource(bytes));
  else if (FLOW_FILE.test(name)) {
    const sources = splitDocuments(new TextDecoder().decode(bytes));
    yield* sources.map((source, index) => ({ place: String(index), source }));
  } else {
    throw illegalArgument(
      `"${name.slice(0, 100)}" cannot be imported: its name must end in .yml, .yaml or .zip`,
    );
  }
}

async function* zippedDocuments(archive: ByteSource): AsyncGenerator<FlowDocument> {
  const directory = await readZipDirectory(archive);
  for (const entry of directory.entries) {
    const { path: place, size } = entry;
    if (!FLOW_FILE.test(place)) continue;
    if (size > MAX_FLOW_SOURCE_BYTES) {
      const reason = `"${place}" cannot be imported: a flow has at most ${MAX_FLOW_SOURCE_BYTES} bytes`;
      yield { place, refusal: illegalArgument(reason) };
      continue;
    }
    const chunks = await Array.fromAsync(unpackEntry(archive, directory, entry));
    yield* entryDocuments(place, await new Blob(chunks as BlobPart[]).text());
  }
}

function entryDocuments(place: string, text: string): FlowDocument[] {
  try {
    return splitDocuments(text).map((source) => ({ place, source }));
  } catch (error) {
    if (error instanceof DomainError) return [{ place, refusal: error }];
    throw error;
  }
}

function byteSource(bytes: Uint8Array<ArrayBuffer>): ByteSource {
  return {
    size: bytes.length,
    read: (offset, length) => Promise.resolve(bytes.slice(offset, offset + length)),
  };
}
