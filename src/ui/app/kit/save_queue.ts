/** Saves of one text: the keys that save are often pressed again while a save is under way. */

/** Sends one save at a time: two at once would both be based on the same revision, and the second would be refused. */
export class SaveQueue<Result> {
  readonly #text: () => string;
  #running: Promise<Result> | undefined;
  #isWantedAgain = false;

  /** `text` gives the text as it is now. */
  constructor(text: () => string) {
    this.#text = text;
  }

  /** True while a save is under way; a call of `run` joins it. */
  get isBusy(): boolean {
    return this.#running !== undefined;
  }

  /**
   * Saves the text. A call while a save is under way has the result of that one, which saves once more at its end if the text
   * is another one by then.
   */
  run(save: (text: string) => Promise<Result>): Promise<Result> {
    this.#isWantedAgain = this.isBusy;
    this.#running ??= this.#saveAll(save);
    return this.#running;
  }

  async #saveAll(save: (text: string) => Promise<Result>): Promise<Result> {
    try {
      for (;;) {
        const text = this.#text();
        const result = await save(text);
        if (!this.#isWantedAgain || this.#text() === text) return result;
        this.#isWantedAgain = false;
      }
    } finally {
      this.#running = undefined;
    }
  }
}
