/** German texts of graphs. */
import type { GRAPH_EN } from "../en/graph.ts";

/** Texts by name. */
export const GRAPH_DE: Readonly<Record<keyof typeof GRAPH_EN, string>> = {
  "graph.smaller": "Verkleinern",
  "graph.larger": "Vergrößern",
  "graph.fit": "Einpassen",
  "graph.asList": "Graph als Liste",
};
