/** A committer for tests of other modules. */
import type { Clock } from "../../../src/base/time/clock.ts";
import { silentLogger } from "../../../src/base/log.ts";
import { Committer, type CommitterOptions } from "../../../src/store/committer.ts";
import type { Store } from "../../../src/store/store.ts";

/** A committer that logs nothing and ignores fatal errors. The caller starts it. */
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
