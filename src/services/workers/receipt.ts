/** Learns whether changes that travel with a commit of an execution became durable. */
import { DomainError } from "../../model/errors.ts";
import type { PendingFiles } from "../../model/executions/pending_files.ts";
import type { Mutation } from "../../store/store.ts";

/** Mutations of a commit, with files or without. */
export class Receipt implements PendingFiles {
  /** Resolves once the commit is durable. Rejects with DomainError not_found if there will be none, or as {@link fail} says. */
  readonly durable: Promise<void>;
  readonly #settled = Promise.withResolvers<void>();
  readonly #mutations: readonly Mutation[];
  readonly #files: PendingFiles | undefined;

  constructor(mutations: readonly Mutation[], files?: PendingFiles) {
    this.#mutations = mutations;
    this.#files = files;
    this.durable = this.#settled.promise;
    this.durable.catch(() => {}); // It may be that no request waits for it any more.
  }

  /** @inheritdoc */
  get byteCount(): number {
    return this.#files?.byteCount ?? 0;
  }

  /** @inheritdoc */
  take() {
    return [...this.#files?.take() ?? [], ...this.#mutations];
  }

  /** @inheritdoc */
  async committed(): Promise<void> {
    this.#settled.resolve();
    await this.#files?.committed();
  }

  /** @inheritdoc */
  async discard(): Promise<void> {
    this.fail(givenUp());
    await this.#files?.discard();
  }

  /** Ends the wait: the outcome will not be known to this process. */
  fail(error: DomainError): void {
    this.#settled.reject(error);
  }
}

/** The refusal of what a worker says about an attempt that it no longer runs. */
export function givenUp(): DomainError {
  return new DomainError("not_found", "Not Found: this worker no longer runs such an attempt");
}
