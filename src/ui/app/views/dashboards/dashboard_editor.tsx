/** `/dashboards?create` and `/dashboards/:id/edit`: the source of a dashboard beside what it shows. */
import { keymap } from "@codemirror/view";
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { sendText } from "../../api/client.ts";
import { May, may } from "../../core/access.ts";
import { apiPath, pagePath } from "../../core/places.ts";
import { useResource } from "../../core/resource.ts";
import { guardLeaving, navigate, query, segments } from "../../core/router.ts";
import { confirmed } from "../../kit/dialog.tsx";
import { attempt, Loaded, showToast } from "../../kit/feedback.tsx";
import { SaveQueue } from "../../kit/save_queue.ts";
import { ViewHead } from "../../layout/shell.tsx";
import { t } from "../../texts/mod.ts";
import { CodeEditor } from "../editor/code_editor.tsx";
import { EditorModel } from "../editor/editor_state.ts";
import { ProblemList, SourceState } from "../editor/problem_list.tsx";
import { problemLinter } from "../editor/problems.ts";
import { checkSource, readStored, storeDashboard, type StoredDashboard } from "./dashboard_api.ts";
import { DashboardPreview } from "./dashboard_preview.tsx";
import { type Dashboard, readDashboard } from "./definition.ts";

/** The template that a new dashboard begins with. */
const TEMPLATE = "executions-overview";
const NEW_ID = "my_dashboard";

/** What the editor begins with. */
interface Beginning {
  readonly source: string;
  /** Absent: the dashboard is new. */
  readonly stored?: StoredDashboard;
}

/** The view. */
export default function DashboardEditorView() {
  const [, first = "", last] = segments.value;
  const id = last === "edit" ? first : undefined;
  const copied = query.value.get("copy") ?? undefined;
  const key = `edit ${id} ${copied}`;
  const beginning = useResource(key, (signal) => loadBeginning(id, copied, signal));
  return (
    <>
      <ViewHead
        title={id ?? t("dashboards.new")}
        above={
          <a href={id === undefined ? pagePath() : pagePath("dashboards", id)}>
            {id === undefined ? t("nav.dashboard") : t("dashboards.view")}
          </a>
        }
      />
      <Loaded resource={beginning}>{(found) => <DashboardEditor key={key} beginning={found} />}</Loaded>
    </>
  );
}

async function loadBeginning(
  id: string | undefined,
  copied: string | undefined,
  signal: AbortSignal,
): Promise<Beginning> {
  if (id !== undefined) {
    const stored = await readStored(id, signal);
    return { source: stored.sourceCode, stored };
  }
  if (copied !== undefined) return { source: copyOf((await readStored(copied, signal)).sourceCode) };
  const path = `${apiPath("blueprints", "community", "dashboard", TEMPLATE)}/source`;
  const source = await sendText("GET", path, { signal });
  return { source: source.replace(TEMPLATE, NEW_ID) };
}

/** The same source with another id, if it has one. */
function copyOf(source: string): string {
  return source.replace(/^(id:\s*)(["']?)([\w.-]+)\2/m, "$1$3_copy");
}

function DashboardEditor({ beginning: { source, stored } }: { readonly beginning: Beginning }) {
  const model = useMemo(() => {
    const created = new EditorModel(source);
    if (stored) created.saved.value = source;
    return created;
  }, []);
  const isReadOnly = !may("change");
  const latest = useSignal(stored);
  const dashboard = useSignal<Dashboard | undefined>(undefined);
  useEffect(() => guardLeaving(() => model.hasLosses ? t("dashboards.unsaved") : undefined), []);
  const saves = useMemo(() => new SaveQueue<StoredDashboard | undefined>(() => model.source.value), []);
  const store = async (text: string): Promise<StoredDashboard | undefined> => {
    const known = latest.value;
    if (known && !await mayReplace(known)) return undefined;
    const saved = await attempt(() => storeDashboard(text, known?.id));
    if (!saved) return undefined;
    model.saved.value = text;
    showToast("good", t("dashboards.saved"));
    return latest.value = saved;
  };
  const save = async () => {
    // Only the first caller leaves the page, after all joined saves.
    const isLeft = !stored && !saves.isBusy;
    const saved = await saves.run(store);
    if (saved && isLeft) navigate(pagePath("dashboards", saved.id));
  };
  const checks = useRef(0);
  const check = async (text: string) => {
    const number = ++checks.current;
    const { problems, definition } = await checkSource(text);
    // While the syntax is wrong the last dashboard stays. An earlier source may be answered after a later one.
    if (definition && number === checks.current) dashboard.value = readDashboard(definition);
    return problems;
  };
  return (
    <div class="editor dashboard-editor">
      <div class="editor-main">
        <Bar model={model} save={save} />
        <Source key={isReadOnly} {...{ model, save, check, isReadOnly }} />
        <ProblemList model={model} />
      </div>
      <DashboardPreview dashboard={dashboard.value} problems={model.problems.value} />
    </div>
  );
}

/** Asks if the stored dashboard is another than the one that was opened. */
async function mayReplace({ id, updated }: StoredDashboard): Promise<boolean> {
  const present = await attempt(() => readStored(id));
  if (!present || present.updated === updated) return present !== undefined;
  return await confirmed({
    title: t("dashboards.changed"),
    text: t("dashboards.changedText"),
    action: t("dashboards.replace"),
    isDangerous: true,
  });
}

interface PartProps {
  readonly model: EditorModel;
  readonly save: () => Promise<void>;
}

function Bar({ model, save }: PartProps) {
  return (
    <div class="editor-bar" role="toolbar" aria-label={t("common.actions")}>
      <May>
        <button type="button" class="primary" disabled={!model.isChanged} onClick={() => void save()}>
          {t("common.save")} <kbd>Ctrl S</kbd>
        </button>
      </May>
      <SourceState model={model} />
    </div>
  );
}

interface SourceProps extends PartProps {
  readonly check: Parameters<typeof problemLinter>[1];
  readonly isReadOnly: boolean;
}

function Source({ model, save, check, isReadOnly }: SourceProps) {
  const extensions = useMemo(() => [
    model.follow,
    problemLinter(model.receive, check),
    keymap.of([{ key: "Mod-s", preventDefault: true, run: () => (isReadOnly || void save(), true) }]),
  ], []);
  return (
    <CodeEditor
      source={model.source.value}
      label={t("dashboards.source")}
      extensions={extensions}
      isReadOnly={isReadOnly}
      onReady={(view) => model.connect(view)}
    />
  );
}
