/** Flows: source → document → problems or a flow → answer → the same flow again; and what changes sources. */
import { planFlow } from "../../../src/engine/plan.ts";
import {
  expressionNames,
  flowGraph,
  graphResponse,
  isSameSource,
  parseFlowSource,
  setDisabled,
  setNamespace,
  splitDocuments,
  validateTask,
  validateTrigger,
} from "../../../src/flow/mod.ts";
import type { Flow } from "../../../src/model/flows/flow.ts";
import { DomainError } from "../../../src/model/errors.ts";
import type { Chance } from "../../crash/chance.ts";
import { assertPlaces, assertRoundTrip, responseText, saved } from "../../flow/build/roundtrip.ts";
import { declaredTypes } from "../../support/flows/all_types.ts";
import { flowCorpus } from "../corpus.ts";
import { mutated, type Spares } from "../mutate.ts";
import { attempt, expect, type Input, shown, type Target } from "../target.ts";

const CATALOGS = declaredTypes();
const SPARES: Spares = {
  corpus: flowCorpus(),
  tokens: [
    ..."\n|  |- |: |? |# |&a |*a |*name|<<: |!!str |!x |---\n|...\n|>-\n  |\t|'|\"|{|}|[|]|,|~|null|true|.inf|0o17|{{ |}}|{%|%|@|`"
      .split("|"),
    "|",
    "|2-\n",
    ..."id: x|namespace: a|disabled: true|type: SECRET|tasks: []|runIf: x|retry: {}|labels: [{key: a, value: b}]|timeout: PT1S"
      .split("|"),
    ...CATALOGS.tasks.list().map(({ type }) => `io.svc.plugin.${type}`),
    ...CATALOGS.triggers.list().map(({ type }) => `io.svc.plugin.${type}`),
  ],
};

function generate(chance: Chance): Input {
  return [mutated(chance, SPARES)];
}

function check([source = ""]: Input): void {
  const parsed = parseFlowSource(source);
  expect(
    parsed.document !== undefined || parsed.problems.length > 0,
    () => "Neither a document nor a problem",
  );
  const flow = assertRoundTrip(source, CATALOGS);
  assertPlaces(source, validateTask(parsed, CATALOGS, { expressions: {} }));
  assertPlaces(source, validateTrigger(parsed, CATALOGS, { expressions: {} }));
  splitDocuments(source);
  if (!parsed.document) return;
  expressionNames(parsed.document, CATALOGS.tasks);
  expect(
    isSameSource({ document: parsed.document, source }, { document: parsed.document, source }),
    () => "It differs",
  );
  if (flow) checkFlow(flow);
}

function checkFlow(flow: Flow): void {
  planFlow(flow);
  graphResponse(flowGraph(flow));
  for (const disabled of [true, false]) {
    const edited = attempt(() => setDisabled(flow.source, disabled), (error) => error instanceof DomainError);
    if (edited !== undefined) expectOnly(flow, edited, { disabled });
  }
  expectOnly(flow, setNamespace(flow.source, "x.y"), { namespace: "x.y" });
}

/** An edited source is that of the same flow, but for what was edited. */
function expectOnly(flow: Flow, edited: string, change: Partial<Flow>): void {
  const after = saved(edited, CATALOGS);
  expect(after !== undefined, () => `${Object.keys(change)}: the edited source is refused: ${shown(edited)}`);
  const [ours, theirs] = [flow, after].map((each) =>
    responseText({ ...each, ...change, definition: without(each, change) })
  );
  expect(
    ours === theirs,
    () => `${Object.keys(change)}: ${shown(theirs ?? "")} instead of ${shown(ours ?? "")}`,
  );
}

function without({ definition }: Flow, change: Partial<Flow>): Flow["definition"] {
  return Object.fromEntries(Object.entries(definition).filter(([name]) => !Object.hasOwn(change, name)));
}

/** Sources of flows. */
export const yamlTarget: Target = { name: "yaml", generate, check };
