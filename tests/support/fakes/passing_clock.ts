/** A clock on which time passes each time that it is read. */
import { FakeClock } from "./fake_clock.ts";

/** Longer than a turn of any long work. */
const STEP_MS = 10;

/** Each `next()` of turns lasts one turn: it reads the time before and after it lets others run. */
export class PassingClock extends FakeClock {
  #reads = 0;

  /** How often long work has let others run, if nothing else reads the time. */
  get turns(): number {
    return Math.floor(this.#reads / 2);
  }

  /** @inheritdoc */
  override monotonicMs(): number {
    this.#reads++;
    this.jump(STEP_MS);
    return super.monotonicMs();
  }
}
