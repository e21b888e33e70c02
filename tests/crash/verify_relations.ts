/** What must hold between executions: one child for each call, and no more at once than the limit of their flow. */
import type { SeenExecution } from "./execution_check.ts";
import type { KnownExecution } from "./ledger.ts";
import type { VerifyDeps } from "./verify_executions.ts";

/** Compares the executions that have ended with each other. */
export function verifyRelations(deps: VerifyDeps): void {
  verifyChildren(deps);
  verifyLimit(deps);
}

function verifyChildren({ ledger, findings }: VerifyDeps): void {
  const counts = new Map<string, number>();
  for (const { trigger } of endedOf(ledger.executions.values(), "child")) {
    const parentId = trigger?.variables.executionId ?? "";
    counts.set(parentId, (counts.get(parentId) ?? 0) + 1);
  }
  for (const { id, state } of endedOf(ledger.executions.values(), "parent")) {
    const children = counts.get(id) ?? 0;
    if (children > 1) findings.add("doubled", id, `it has ${children} children`);
    if (children === 0 && state.current === "SUCCESS") findings.add("lost", id, "its child is not there");
  }
}

/** From RUNNING to the end, each alone. */
function verifyLimit({ ledger, findings }: VerifyDeps): void {
  const spans = endedOf(ledger.executions.values(), "limited").flatMap(({ id, state }) => {
    const from = state.histories.find((entry) => entry.state === "RUNNING")?.date;
    return from === undefined ? [] : [{ id, from, to: state.endDate ?? "" }];
  }).sort((a, b) => a.from < b.from ? -1 : 1);
  for (let i = 1; i < spans.length; i++) {
    const [before, after] = [spans[i - 1], spans[i]];
    if (before && after && after.from < before.to) {
      findings.add(
        "illegal",
        after.id,
        `it began ${after.from}, ${before.id} ended ${before.to}: the limit is one`,
      );
    }
  }
}

function endedOf(executions: Iterable<KnownExecution>, flow: KnownExecution["flow"]): SeenExecution[] {
  return [...executions].flatMap((known) =>
    known.flow === flow && known.ended !== undefined ? [JSON.parse(known.ended) as SeenExecution] : []
  );
}
