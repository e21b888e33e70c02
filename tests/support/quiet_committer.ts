/** The committer of tests that are not about it. */
import type { Clock } from "../../src/base/clock.ts";
import { silentLogger } from "../../src/base/log.ts";
import { Committer, type CommitterOptions } from "../../src/store/committer.ts";
import type { Store } from "../../src/store/store.ts";

/** A committer that says nothing of its end; not started. */
export function quietCommitter(
  store: Store,
  clock: Clock,
  options: Partial<CommitterOptions> = {},
): Committer {
  return new Committer({
    store,
    clock,
    instance: "test",
    logger: silentLogger(clock),
    onFatal: () => {},
    ...options,
  });
}
