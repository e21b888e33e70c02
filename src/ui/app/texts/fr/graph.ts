/** French texts of graphs. */
import type { GRAPH_EN } from "../en/graph.ts";

/** Texts by name. */
export const GRAPH_FR: Readonly<Record<keyof typeof GRAPH_EN, string>> = {
  "graph.smaller": "Réduire",
  "graph.larger": "Agrandir",
  "graph.fit": "Ajuster",
  "graph.asList": "Graphe sous forme de liste",
};
