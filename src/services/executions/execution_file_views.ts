/** Files of executions for the API: download, size, preview. */
import type { Actor } from "../../model/access/actor.ts";
import { type DomainError, illegalArgument, notFound } from "../../model/errors.ts";
import type { Execution } from "../../model/executions/execution.ts";
import { fileNameOf } from "../../model/namespaces/file_path.ts";
import { type StoredPlace, storedPlaceOf } from "../../model/namespaces/storage_uri.ts";
import type { StoredFile } from "../../store/blobs/execution_files.ts";
import type { ExecutionRecords } from "../../store/records/executions/execution_records.ts";
import { unknownExecution } from "./execution_actions.ts";
import type { ExecutionContents } from "./execution_contents.ts";
import { previewOf, type PreviewOptions } from "../files/file_preview.ts";

interface ExecutionFileViewsDeps {
  readonly records: ExecutionRecords;
  readonly contents: ExecutionContents;
}

/** A file and its name for a download. */
export interface NamedFile extends StoredFile {
  readonly name: string;
}

/** A file, or the execution that has it. */
type FoundFile = NamedFile | { readonly executionId: string };

/** URI of a file of an execution whose id is not one of this server. */
const FOREIGN_FILE = /^kestra:\/\/\/[^/]+\/.+?\/executions\/([^/]+)\/./;

/** Reads files of executions. */
export class ExecutionFileViews {
  readonly #deps: ExecutionFileViewsDeps;

  constructor(deps: ExecutionFileViewsDeps) {
    this.#deps = deps;
  }

  /**
   * The file of a storage URI, or the id of the other execution that the file belongs to.
   * @throws DomainError not_found; invalid_argument: the URI does not name a file of an execution
   */
  async find(actor: Actor, id: string, uri: string): Promise<FoundFile> {
    const execution = await this.#deps.records.facts(actor.tenant, id);
    if (!execution) throw unknownExecution(id);
    const place = placeOf(uri);
    if (place.executionId !== id) return await this.#elsewhere(actor, place, uri);
    checkFlow(execution, place, uri);
    const { path } = place;
    const file = await this.#deps.contents.file(actor.tenant, { executionId: id, path, isUnderWay: false });
    if (!file) throw notFound(`execution "${id}" has no file "${uri}"`);
    return { ...file, name: nameOf(path) };
  }

  /** The JSON text of the first part of the file, in pieces. @throws DomainError invalid_argument: it cannot be shown in that encoding, or at all */
  async preview(file: NamedFile, options: PreviewOptions): Promise<AsyncGenerator<string>> {
    return await previewOf(file, options);
  }

  async #elsewhere(actor: Actor, place: ExecutionPlace, uri: string): Promise<FoundFile> {
    const execution = await this.#deps.records.facts(actor.tenant, place.executionId);
    if (!execution) throw unknownOwner(place.executionId, uri);
    checkFlow(execution, place, uri);
    return { executionId: place.executionId };
  }
}

type ExecutionPlace = Extract<StoredPlace, { readonly kind: "execution file" }>;

function placeOf(uri: string): ExecutionPlace {
  const place = storedPlaceOf(uri);
  if (place?.kind === "execution file") return place;
  const foreignId = place ? undefined : FOREIGN_FILE.exec(uri)?.[1];
  throw foreignId === undefined ? badPrefix(uri) : unknownOwner(foreignId, uri);
}

function unknownOwner(executionId: string, uri: string): DomainError {
  return notFound(`Unable to find execution id '${executionId}', which the file "${uri}" belongs to`);
}

function checkFlow({ namespace, flowId }: Execution, place: ExecutionPlace, uri: string): void {
  if (place.namespace !== namespace || place.flowId !== flowId) throw badPrefix(uri);
}

function badPrefix(uri: string): DomainError {
  const shown = uri.length > 200 ? `${uri.slice(0, 200)}…` : uri;
  return illegalArgument(
    `Invalid prefix path: "${shown}" is not the storage URI of a file of an execution`,
  );
}

/** The file name without the id that makes it unique. */
function nameOf(path: string): string {
  return fileNameOf(path).replace(/^[A-Z][0-9A-Za-z]{21}-(?=.)/, "");
}
