/** A text file that a person edits: what was read, what was typed, and saving that overwrites no other change. */
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { ApiError } from "../../../api/client.ts";
import { SaveQueue } from "../../../kit/save_queue.ts";
import { readStats, readText, writeFile } from "../files.ts";

/** A text as the server has it. */
export interface StoredText {
  /** 0: there is no such file. */
  readonly revision: number;
  readonly text: string;
}

const NOT_FOUND = 404;
const CONFLICT = 412;

/** One file; `stored` is what its changes are based on. */
export class FileModel {
  readonly namespace: string;
  readonly path: string;
  readonly stored: Signal<StoredText>;
  readonly draft: Signal<string>;
  readonly isChanged: ReadonlySignal<boolean>;
  readonly saves: SaveQueue<void>;

  constructor(place: { readonly namespace: string; readonly path: string }, stored: StoredText) {
    this.namespace = place.namespace;
    this.path = place.path;
    this.stored = signal(stored);
    this.draft = signal(stored.text);
    this.isChanged = computed(() => this.draft.value !== this.stored.value.text);
    this.saves = new SaveQueue(() => this.draft.value);
  }

  /** Saves a text. Gives what is stored now if that is not what the draft is based on; nothing is saved then. @throws ApiError */
  async save(text: string): Promise<StoredText | undefined> {
    const { revision } = this.stored.value;
    try {
      await writeFile(this.namespace, this.path, text, revision);
    } catch (error) {
      if (error instanceof ApiError && error.status === CONFLICT) return await this.readStored();
      throw error;
    }
    // The text differs from that of the expected revision, so it is the next one.
    this.stored.value = { revision: revision + 1, text };
    return undefined;
  }

  /** What the server has now. @throws ApiError */
  async readStored(): Promise<StoredText> {
    try {
      const { revision = 0 } = await readStats(this.namespace, this.path);
      return { revision, text: await readText(this.namespace, this.path, { revision }) };
    } catch (error) {
      if (error instanceof ApiError && error.status === NOT_FOUND) return { revision: 0, text: "" };
      throw error;
    }
  }

  /** Continues with what is stored, without the draft. */
  take(stored: StoredText): void {
    this.stored.value = stored;
    this.draft.value = stored.text;
  }
}
