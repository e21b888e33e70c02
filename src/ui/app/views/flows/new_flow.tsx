/** `/flows/new`: the editor with a template, an example, a copy of a flow, or a small flow to begin with. */
import { sendText, urlQuery } from "../../api/client.ts";
import type { FlowKey } from "../../api/flow_entities.ts";
import { apiPath, pagePath } from "../../core/places.ts";
import { useResource } from "../../core/resource.ts";
import { navigate, query } from "../../core/router.ts";
import { Loaded } from "../../kit/feedback.tsx";
import { ViewHead } from "../../layout/shell.tsx";
import { t } from "../../texts/mod.ts";
import { readDraft } from "../editor/draft.ts";
import { FlowEditor } from "../editor/flow_editor.tsx";
import { readFlow } from "../editor/save.ts";

const BEGINNING = `id: my_flow
namespace: {namespace}

tasks:
  - id: hello
    type: io.svc.plugin.core.log.Log
    message: Hello World!
`;
const NAMESPACE = "company.team";
/** Parameters of the address that say what the source is. */
const ORIGINS = ["blueprint", "copy", "draft", "namespace"];

/** The view. */
export function NewFlow() {
  // Other parameters, such as the panel that is shown, must not load it again.
  const key = ORIGINS.map((name) => query.value.get(name) ?? "").join(" ");
  const source = useResource(`new ${key}`, (signal) => readSource(query.value, signal));
  return (
    <>
      <ViewHead title={t("flows.new")} above={<a href={pagePath("flows")}>{t("flows.title")}</a>}>
        <a class="button" href={pagePath("blueprints")}>{t("nav.blueprints")}</a>
      </ViewHead>
      <Loaded resource={source}>
        {(text) => (
          <FlowEditor
            key={key}
            source={text}
            onSaved={(flow) => navigate(editorOf(flow))}
            onRun={(flow, upTo) => navigate(`${editorOf(flow)}${urlQuery({ run: 1, upTo })}`)}
          />
        )}
      </Loaded>
    </>
  );
}

function editorOf({ namespace, id }: FlowKey): string {
  return pagePath("flows", "edit", namespace, id, "editor");
}

async function readSource(address: URLSearchParams, signal: AbortSignal): Promise<string> {
  const blueprint = address.get("blueprint");
  if (blueprint) {
    return await sendText("GET", `${apiPath("blueprints", "community", "flow", blueprint)}/source`, {
      signal,
    });
  }
  const [namespace, id] = address.get("copy")?.split("/") ?? [];
  if (namespace && id) {
    const { source } = await readFlow({ namespace, id }, signal);
    return source.replace(/^(id:\s*)(["']?)([\w.-]+)\2/m, "$1$3_copy");
  }
  const draft = address.has("draft") ? readDraft() : undefined;
  return draft ?? BEGINNING.replace("{namespace}", address.get("namespace") ?? NAMESPACE);
}
