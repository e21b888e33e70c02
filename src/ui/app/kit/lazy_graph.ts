/** The graph of a flow. Its layout is loaded when the first graph is drawn. */
import { lazyPart } from "./lazy_part.tsx";

/** See `GraphView`. */
export const LazyGraph = lazyPart(() => import("./graph.tsx").then((module) => module.GraphView));
