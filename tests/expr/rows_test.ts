/** Runs the tables of `rows/`: one test a case. */
import * as dates from "./rows/dates.ts";
import * as filters from "./rows/filters.ts";
import * as functions from "./rows/functions.ts";
import * as lexical from "./rows/lexical.ts";
import * as lookup from "./rows/lookup.ts";
import * as operators from "./rows/operators.ts";
import * as orchestrator from "./rows/orchestrator.ts";
import * as output from "./rows/output.ts";
import type { Table } from "./rows/table.ts";
import { testErrors, testMessages, testRows } from "./support.ts";

const MODULES = [lexical, operators, lookup, output, filters, orchestrator, functions, dates];

for (const module of MODULES) {
  for (const table of Object.values<Table>(module)) {
    const { topic, data, rows = [], errors = [], messages = [] } = table;
    testRows(topic, rows, data);
    testErrors(topic, errors, data);
    testMessages(topic, messages, data);
  }
}
