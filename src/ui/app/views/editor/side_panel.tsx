/** Beside the source: the graph of the flow as it is written, the documentation of the type under the cursor, the last run. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { get, send } from "../../api/client.ts";
import { may } from "../../core/access.ts";
import { pagePath } from "../../core/places.ts";
import { type Resource, useResource } from "../../core/resource.ts";
import { query, setQuery } from "../../core/router.ts";
import { Loaded, Skeleton } from "../../kit/feedback.tsx";
import type { FlowGraph } from "../../kit/graph.tsx";
import { declaredIdOf } from "../../kit/graph_tasks.ts";
import { LazyGraph } from "../../kit/lazy_graph.ts";
import { Markdown } from "../../kit/markdown.tsx";
import { t } from "../../texts/mod.ts";
import type { EditorModel } from "./editor_state.ts";
import type { FlowSource } from "../../api/flow_entities.ts";
import type { LastRun } from "./last_run.ts";
import { LastRunPanel } from "./last_run_panel.tsx";
import { TestPanel } from "./test_panel.tsx";

const SIDES = ["graph", "docs", "run", "test"] as const;

/** The panel; which part it shows is in the address. */
export function SidePanel({ model, flow, lastRun, store }: {
  readonly model: EditorModel;
  /** The stored flow; only that can be tested. */
  readonly flow?: FlowSource;
  readonly lastRun: Resource<LastRun>;
  readonly store: () => Promise<boolean>;
}) {
  const side = query.value.get("side") ?? "graph";
  // A test runs the flow.
  const isTestable = flow !== undefined && may("change");
  return (
    <section class="editor-side" aria-label={t("editor.side")}>
      <div class="side-tabs" role="group" aria-label={t("editor.side")}>
        {SIDES.filter((name) => name !== "test" || isTestable).map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={side === name}
            onClick={() => setQuery({ side: name === "graph" ? undefined : name })}
          >
            {t(`editor.side.${name}`)}
          </button>
        ))}
      </div>
      {side === "docs"
        ? <TypeDocumentation type={model.type.value} />
        : side === "run"
        ? <LastRunPanel model={model} run={lastRun} />
        : side === "test" && flow && isTestable
        ? <Loaded resource={lastRun}>{(run) => <TestPanel flow={flow} run={run} store={store} />}</Loaded>
        : <DraftGraph model={model} />}
    </section>
  );
}

/** The last graph stays while the source has errors. */
function DraftGraph({ model }: { readonly model: EditorModel }) {
  const graph = useSignal<FlowGraph | undefined>(undefined);
  const source = model.valid.value;
  useEffect(() => {
    if (source === undefined) return;
    const abort = new AbortController();
    void draw(source, abort.signal);
    return () => abort.abort();
  }, [source]);
  const draw = async (body: string, signal: AbortSignal) => {
    const headers = { "content-type": "application/x-yaml" };
    try {
      graph.value = await send<FlowGraph>("POST", "/flows/graph", { body, headers, signal });
    } catch {
      // The last graph stays; a lost connection is reported by the validation.
    }
  };
  if (!graph.value) {
    const isInvalid = source === undefined && model.problems.value.length > 0;
    return isInvalid ? <p class="dim">{t("editor.noGraph")}</p> : <Skeleton />;
  }
  return (
    <LazyGraph
      graph={graph.value}
      label={t("editor.side.graph")}
      selected={model.taskId.value}
      onSelect={(node) => model.goToTask(declaredIdOf(node))}
    />
  );
}

function TypeDocumentation({ type }: { readonly type: string | undefined }) {
  if (type === undefined) return <p class="dim">{t("editor.noType")}</p>;
  return <DocumentationOf type={type} />;
}

function DocumentationOf({ type }: { readonly type: string }) {
  const documentation = useResource(
    type,
    (signal) => get<{ markdown: string }>(`/api/v1/plugins/${encodeURIComponent(type)}`, {}, signal),
  );
  return (
    <div class="editor-docs">
      <Loaded resource={documentation}>
        {({ markdown }) => (
          <>
            <Markdown text={markdown} />
            <a href={pagePath("plugins", type)}>{t("editor.wholePage")}</a>
          </>
        )}
      </Loaded>
    </div>
  );
}
