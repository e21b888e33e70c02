/** Templates and flows of the tests, which the fuzzer damages. */
import { stringify } from "@std/yaml";
import { exampleOf } from "../../src/flow/json_schema/json_schema.ts";
import type { TypeDeclaration } from "../../src/model/flows/type_declaration.ts";
import * as dates from "../expr/rows/dates.ts";
import * as filters from "../expr/rows/filters.ts";
import * as functions from "../expr/rows/functions.ts";
import * as lexical from "../expr/rows/lexical.ts";
import * as lookup from "../expr/rows/lookup.ts";
import * as operators from "../expr/rows/operators.ts";
import * as orchestrator from "../expr/rows/orchestrator.ts";
import * as output from "../expr/rows/output.ts";
import type { Table } from "../expr/rows/table.ts";
import vectors from "../fixtures/expression_vectors.json" with { type: "json" };
import { declaredTypes } from "../support/flows/all_types.ts";

const MODULES = [lexical, operators, lookup, output, filters, orchestrator, functions, dates];
const MAX_TEMPLATE_LENGTH = 2_000;

/** Every template that a row or a vector of the tests holds. */
export function templateCorpus(): string[] {
  const tables = MODULES.flatMap((module) => Object.values<Table>(module));
  const rows = tables.flatMap((
    { rows = [], errors = [], messages = [] },
  ) => [...rows, ...errors, ...messages]);
  return [...rows.map(([template]) => template), ...vectors.map(({ template }) => template)]
    .filter((template) => template.length <= MAX_TEMPLATE_LENGTH);
}

const HEAD = "id: f\nnamespace: a.b\n";
const LOG = "tasks:\n  - {id: t, type: io.svc.plugin.core.log.Log, message: m}\n";
const BACKTICKS = /`([^`$]*\btasks:[^`$]*)`/g;

/** Flows in the sources of the tests, and one for each type, with the members that it needs. */
export function flowCorpus(): string[] {
  return [...writtenFlows(), ...exampleFlows(), RICH_FLOW, stringify({ a: [1, { b: "c" }] })];
}

function writtenFlows(): string[] {
  const sources = [...filesBelow(new URL("../", import.meta.url))].map((path) => Deno.readTextFileSync(path));
  return sources.flatMap((source) => [...source.matchAll(BACKTICKS)].map(([, flow = ""]) => flow));
}

function* filesBelow(folder: URL): Generator<URL> {
  for (
    const { name, isDirectory } of [...Deno.readDirSync(folder)].sort((a, b) => a.name < b.name ? -1 : 1)
  ) {
    if (isDirectory) yield* filesBelow(new URL(`${name}/`, folder));
    else if (/_test\.ts$/.test(name)) yield new URL(name, folder);
  }
}

function exampleFlows(): string[] {
  const { tasks, triggers } = declaredTypes();
  const list = (name: string, declaration: TypeDeclaration) => `${name}:\n${exampleOf(declaration)}`;
  return [
    ...tasks.list().map((type) => HEAD + list("tasks", type)),
    ...triggers.list().map((type) => HEAD + LOG + list("triggers", type)),
  ];
}

const RICH_FLOW = `# a flow with much of what a flow may hold
id: rich-flow
namespace: company.team
description: >-
  Folded
  text
labels: {env: prod, 'n': 1}
inputs:
  - {id: who, type: STRING, defaults: &name world, validator: "^[a-z]+$"}
  - id: nested.n
    type: INT
    min: 1
    max: 5
    required: false
  - {id: kind, type: SELECT, values: [a, b], dependsOn: {inputs: [who], condition: "{{ inputs.who == 'x' }}"}}
  - {id: many, type: ARRAY, itemType: INT, defaults: [1, 2]}
  - {id: at, type: DATETIME, defaults: 2026-01-31T12:00:00Z}
variables: {v: *name, d: 2.0, big: 123456789012345678901, deep: {a: [1, null, true]}}
concurrency: {limit: 2, behavior: QUEUE}
sla:
  - {id: s, type: MAX_DURATION, duration: PT1H, behavior: CANCEL, labels: {late: "true"}}
retry: {type: constant, interval: PT1S, maxAttempts: 3}
pluginDefaults:
  - {type: io.svc.plugin.core.log.Log, values: {level: WARN}}
tasks:
  - &first
    id: first
    type: io.svc.plugin.core.log.Log
    message: ["{{ inputs.who }}", b]
  - <<: *first
    id: second
    runIf: "{{ outputs.first is defined }}"
  - id: each
    type: io.svc.plugin.core.flow.ForEach
    values: [1, "2", {a: 3}]
    concurrencyLimit: 2
    tasks:
      - {id: inner, type: io.svc.plugin.core.debug.Return, format: "{{ taskrun.value }}"}
  - id: choose
    type: io.svc.plugin.core.flow.Switch
    value: "{{ inputs.kind }}"
    cases:
      a:
        - {id: case_a, type: io.svc.plugin.core.debug.Return, format: "x"}
      b: []
    defaults:
      - {id: other, type: io.svc.plugin.core.flow.Sleep, duration: PT1S}
errors:
  - {id: failed, type: io.svc.plugin.core.debug.Return, format: ">"}
finally:
  - {id: last, type: io.svc.plugin.core.debug.Return, format: "{{ execution.id }}"}
triggers:
  - {id: hook, type: io.svc.plugin.core.trigger.Webhook, key: s3cret}
  - {id: daily, type: io.svc.plugin.core.trigger.Schedule, cron: "0 9 * * 1-5", timezone: Europe/Paris}
outputs:
  - {id: o, type: STRING, value: "{{ outputs.first }}"}
`;
