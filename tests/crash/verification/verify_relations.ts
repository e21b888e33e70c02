/** What must hold between executions: one for each that is called, told or called from outside, and no more at once than may be. */
import { ITEMS } from "../flows/caused_flows.ts";
import type { SeenExecution } from "./execution_check.ts";
import type { Findings } from "./findings.ts";
import type { FlowId } from "../flows/flows.ts";
import type { KnownExecution, Ledger } from "./ledger.ts";

/** What relations are found in, and what is wrong with them. */
export interface RelationDeps {
  readonly ledger: Ledger;
  readonly findings: Findings;
}

/** How many executions of one flow belong to one of another. */
interface Relation {
  readonly of: FlowId;
  readonly to: FlowId;
  /** That many there are at most. */
  readonly count: number;
  /** Id of the one that an execution belongs to. */
  readonly causeOf: (execution: SeenExecution) => string | undefined;
  /** It must have all of them. */
  readonly isComplete: (cause: SeenExecution, known: KnownExecution) => boolean;
}

const triggeredBy = ({ trigger }: SeenExecution) => trigger?.variables.executionId;
const hasSucceeded = ({ state }: SeenExecution) => state.current === "SUCCESS";

const RELATIONS: readonly Relation[] = [
  { of: "parent", to: "child", count: 1, causeOf: triggeredBy, isComplete: hasSucceeded },
  { of: "items", to: "item", count: ITEMS, causeOf: triggeredBy, isComplete: hasSucceeded },
  // One that was deleted may have been so before its end.
  {
    of: "upstream",
    to: "listener",
    count: 1,
    causeOf: triggeredBy,
    isComplete: (_execution, { deletion }) => deletion === "no",
  },
  {
    of: "again",
    to: "again",
    count: 1,
    causeOf: ({ id, originalId }) => originalId === id ? undefined : originalId,
    isComplete: ({ state }) => state.current === "RETRIED",
  },
];

/** Compares the executions that have ended with each other. */
export function verifyRelations(deps: RelationDeps): void {
  for (const relation of RELATIONS) verifyRelation(deps, relation);
  verifyCalls(deps);
  verifyLimit(deps);
}

function verifyRelation({ ledger, findings }: RelationDeps, relation: Relation): void {
  const { of, to, count, causeOf, isComplete } = relation;
  const caused = Map.groupBy(
    endedOf(ledger, to).filter(({ execution }) => causeOf(execution) !== undefined),
    ({ execution }) => causeOf(execution),
  );
  for (const { execution, known } of endedOf(ledger, of)) {
    const own = caused.get(execution.id) ?? [];
    const names = new Set(own.map((each) => each.execution.inputs.name));
    const facts = `it has ${own.length} executions of ${to}, ${names.size} different`;
    if (own.length > count || names.size < own.length) findings.add("doubled", execution.id, facts);
    else if (own.length < count && isComplete(execution, known)) findings.add("lost", execution.id, facts);
  }
}

/** One execution for each key, and the one that the answers told of. */
function verifyCalls({ ledger, findings }: RelationDeps): void {
  const byName = Map.groupBy(endedOf(ledger, "hook"), ({ execution }) => execution.inputs.name);
  for (const { name, executionId } of ledger.calls) {
    const ids = (byName.get(name) ?? []).map(({ execution }) => execution.id);
    byName.delete(name);
    if (ids.length > 1) findings.add("doubled", name, `its key has started ${ids.join(" ")}`);
    const isLost = executionId !== undefined && !ids.includes(executionId);
    if (isLost) findings.add("lost", name, `its key was answered with ${executionId}, and has ${ids}`);
  }
  for (const name of byName.keys()) findings.add("illegal", name, "nobody has called with that key");
}

/** From RUNNING to the end, each alone. */
function verifyLimit({ ledger, findings }: RelationDeps): void {
  const spans = endedOf(ledger, "limited").flatMap(({ execution: { id, state } }) => {
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

/** Those that have ended, with what is known of each. */
function endedOf(
  { executions }: Ledger,
  flow: FlowId,
): { readonly execution: SeenExecution; readonly known: KnownExecution }[] {
  return [...executions.values()].flatMap((known) =>
    known.flow === flow && known.ended !== undefined
      ? [{ execution: JSON.parse(known.ended) as SeenExecution, known }]
      : []
  );
}
