/** English texts of graphs. */

/** Texts by name. */
export const GRAPH_EN = {
  "graph.smaller": "Zoom out",
  "graph.larger": "Zoom in",
  "graph.fit": "Fit",
  "graph.asList": "Graph as a list",
} as const;
