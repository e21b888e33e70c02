/** Namespace files as attempts read and change them. */
import type { AttemptIdentity } from "../../model/executions/attempt_identity.ts";
import { checkNotFlows, normalizeFileName, parentPath } from "../../model/namespaces/file_path.ts";
import type { FilePurge, NamespaceFilePort } from "../../model/ports/namespace_file.ts";
import type { OpenedFile } from "../../model/ports/storage.ts";
import type { Files } from "../files/files.ts";
import { undefinedIfMissing } from "../../model/errors.ts";

/** The namespace file port of tasks. */
export class AttemptNamespaceFiles implements NamespaceFilePort {
  readonly #files: Files;

  constructor(files: Files) {
    this.#files = files;
  }

  /** @inheritdoc */
  async list(attempt: AttemptIdentity, namespace: string): Promise<string[]> {
    const paths: string[] = [];
    for await (const { path, content } of this.#files.listAll(attempt, namespace)) {
      if (content) paths.push(path);
    }
    return paths;
  }

  /** @inheritdoc */
  async open(attempt: AttemptIdentity, namespace: string, path: string): Promise<OpenedFile | undefined> {
    const opened = await undefinedIfMissing(() => this.#files.open(attempt, namespace, path));
    return opened && { size: opened.record.content?.size ?? 0, content: opened.content };
  }

  /** @inheritdoc */
  async write(
    attempt: AttemptIdentity,
    file: Parameters<NamespaceFilePort["write"]>[1],
    content: AsyncIterable<Uint8Array>,
  ): Promise<void> {
    // A file whose name or content comes from elsewhere must not become a flow.
    checkNotFlows(normalizeFileName(file.path));
    await this.#files.write(attempt, file, content);
  }

  /** @inheritdoc */
  async delete(
    attempt: AttemptIdentity,
    { namespace, path, withEmptyFolders }: Parameters<NamespaceFilePort["delete"]>[1],
  ): Promise<void> {
    await this.#files.delete(attempt, namespace, path);
    if (!withEmptyFolders) await this.#files.createDirectory(attempt, namespace, parentPath(path));
  }

  /** @inheritdoc */
  async purge(
    attempt: Parameters<NamespaceFilePort["purge"]>[0],
    { namespaces, paths, isPurged }: FilePurge,
  ): Promise<number> {
    let count = 0;
    for (const namespace of await this.#files.namespaces(attempt)) {
      if (!namespaces(namespace)) continue;
      for (const path of await this.list(attempt, namespace)) {
        if (attempt.signal.aborted) return count;
        if (!paths(path)) continue;
        count += await this.#files.purge(
          attempt,
          { namespace, path },
          ({ modifiedAt: savedAt }, age) => isPurged({ savedAt, age }),
        );
      }
    }
    return count;
  }
}
