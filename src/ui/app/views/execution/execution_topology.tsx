/** The graph of the flow with the states of this execution. */
import { get } from "../../api/client.ts";
import { type ExecutionInfo, hasEnded } from "../../api/execution.ts";
import { apiPath } from "../../core/places.ts";
import { navigate } from "../../core/router.ts";
import { useResource } from "../../core/resource.ts";
import { Loaded } from "../../kit/feedback.tsx";
import type { FlowGraph } from "../../kit/graph.tsx";
import { LazyGraph } from "../../kit/lazy_graph.ts";
import { t } from "../../texts/mod.ts";
import { executionHref } from "./execution_links.tsx";

const REFRESH_MS = 3_000;
/** The tab; a task opens its task run in the Gantt chart. */
export function ExecutionTopology({ execution }: { readonly execution: ExecutionInfo }) {
  const { id } = execution;
  const graph = useResource(
    `${id}/${hasEnded(execution)}`,
    (signal) => get<FlowGraph>(apiPath("executions", id, "graph"), { valueClusters: true }, signal),
    { refreshMs: hasEnded(execution) ? undefined : REFRESH_MS },
  );
  return (
    <Loaded resource={graph}>
      {(loaded) => (
        <LazyGraph
          graph={loaded}
          label={t("execution.tab.topology")}
          onSelect={({ uid, id: taskId }) => {
            const taskRunId = taskRunIdOf(loaded, uid) ??
              execution.taskRunList?.find((taskRun) => taskRun.taskId === taskId)?.id;
            if (taskRunId) navigate(executionHref(execution, "gantt", { task: taskRunId }));
          }}
        />
      )}
    </Loaded>
  );
}

function taskRunIdOf({ nodes }: FlowGraph, wanted: string): string | undefined {
  const node = nodes.find(({ uid }) => uid === wanted);
  return (node?.taskRun as { readonly id?: string } | undefined)?.id;
}
