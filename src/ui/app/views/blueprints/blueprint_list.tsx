/** `/blueprints`: templates of flows, by text and tag; their source before they are used. */
import { get, type Page, sendText } from "../../api/client.ts";
import type { BlueprintRow } from "../../api/flow_entities.ts";
import { apiPath } from "../../core/places.ts";
import { useResource } from "../../core/resource.ts";
import { query, setQuery } from "../../core/router.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { EmptyState, Loaded } from "../../kit/feedback.tsx";
import { type FilterField, Filters } from "../../kit/filters.tsx";
import { lazyPart } from "../../kit/lazy_part.tsx";
import { ViewHead } from "../../layout/shell.tsx";
import { t } from "../../texts/mod.ts";
import { TemplateCard, TEMPLATES_PATH } from "./templates.tsx";

const CodeEditor = lazyPart(() => import("../editing.ts").then((module) => module.CodeEditor));

const SIZE = 200;
const FILTERS: readonly FilterField[] = [{ name: "q", kind: "text", title: "common.search" }];

/** The view. */
export function BlueprintList() {
  const wanted = {
    q: query.value.get("q") ?? undefined,
    tags: query.value.get("tags") ?? undefined,
    size: SIZE,
  };
  const list = useResource(
    JSON.stringify(wanted),
    (signal) => get<Page<BlueprintRow>>(TEMPLATES_PATH, wanted, signal),
  );
  const tags = useResource("tags", (signal) => get<Tag[]>(`${TEMPLATES_PATH}/tags`, {}, signal));
  const tagNames = new Map((tags.data ?? []).map(({ id, name }) => [id, name]));
  const shown = query.value.get("preview");
  return (
    <>
      <ViewHead title={t("nav.blueprints")} />
      <Filters fields={FILTERS} />
      <Tags tags={tags.data ?? []} />
      <Loaded resource={list}>
        {({ results }) =>
          results.length === 0 ? <EmptyState title={t("blueprints.none")} /> : (
            <ul class="templates">
              {results.map((template) => (
                <TemplateCard
                  key={template.id}
                  template={template}
                  tagNames={tagNames}
                  preview={() => setQuery({ preview: template.id })}
                />
              ))}
            </ul>
          )}
      </Loaded>
      {shown && <Preview id={shown} />}
    </>
  );
}

interface Tag {
  readonly id: string;
  readonly name: string;
}

function Tags({ tags }: { readonly tags: readonly Tag[] }) {
  const chosen = query.value.get("tags");
  return (
    <div class="tag-buttons" role="group" aria-label={t("blueprints.tags")}>
      {tags.map(({ id, name }) => (
        <button
          key={id}
          type="button"
          aria-pressed={id === chosen}
          onClick={() => setQuery({ tags: id === chosen ? undefined : id })}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

function Preview({ id }: { readonly id: string }) {
  const path = `${apiPath("blueprints", "community", "flow", id)}/source`;
  const source = useResource(path, (signal) => sendText("GET", path, { signal }));
  return (
    <Dialog title={id} wide onClose={() => setQuery({ preview: undefined })}>
      <Loaded resource={source}>
        {(text) => <CodeEditor source={text} label={id} isReadOnly />}
      </Loaded>
    </Dialog>
  );
}
