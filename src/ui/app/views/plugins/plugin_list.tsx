/** `/plugins` and `/plugins/{type}`: types of tasks, triggers and conditions by group, and the documentation of one. */
import { get } from "../../api/client.ts";
import { may } from "../../core/access.ts";
import { pagePath } from "../../core/places.ts";
import { useResource } from "../../core/resource.ts";
import { query, segments } from "../../core/router.ts";
import { EmptyState, Loaded } from "../../kit/feedback.tsx";
import { type FilterField, Filters } from "../../kit/filters.tsx";
import { LazyMarkdown } from "../../kit/lazy_markdown.ts";
import { CodeText } from "../../kit/values.tsx";
import { ViewHead } from "../../layout/shell.tsx";
import { t } from "../../texts/mod.ts";
import { openDraft } from "../editor/draft.ts";
import { flowAround } from "./example_flow.ts";
import { groupsOf, kindOf, type PluginGroup, type TypeInfo } from "./plugin_groups.ts";

const FILTERS: readonly FilterField[] = [{ name: "q", kind: "text", title: "common.search" }];

/** The view. */
export function PluginList() {
  const type = segments.value[1];
  const groups = useResource(
    "plugins",
    async (signal) => groupsOf(await get("/api/v1/plugins/groups/subgroups", {}, signal)),
  );
  return (
    <>
      <ViewHead
        title={type?.slice(type.lastIndexOf(".") + 1) ?? t("nav.plugins")}
        above={type && <a href={pagePath("plugins")}>{t("nav.plugins")}</a>}
      />
      {type === undefined && <Filters fields={FILTERS} />}
      <Loaded resource={groups} rows={12}>
        {(data) => type === undefined ? <Groups groups={data} /> : <TypePage type={type} groups={data} />}
      </Loaded>
    </>
  );
}

function Groups({ groups }: { readonly groups: readonly PluginGroup[] }) {
  const wanted = (query.value.get("q") ?? "").toLowerCase();
  const isWanted = ({ cls, description }: TypeInfo) => `${cls} ${description}`.toLowerCase().includes(wanted);
  const found = groups
    .map((group) => ({ ...group, types: group.types.filter(isWanted) }))
    .filter(({ types }) => types.length > 0);
  if (found.length === 0) return <EmptyState title={t("plugins.none")} />;
  return (
    <div class="plugin-groups">
      {found.map(({ name, types }) => (
        <section key={name} class="card">
          <h2>{name}</h2>
          <ul>
            {types.map((type) => (
              <li key={type.cls}>
                <a href={pagePath("plugins", type.cls)}>{type.title}</a>{" "}
                <span class="label">{t(`plugins.${type.kind}`)}</span>
                {type.deprecated && <span class="label">{t("plugins.deprecated")}</span>}
                <p class="dim">
                  <CodeText text={type.description} />
                </p>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function TypePage({ type, groups }: { readonly type: string; readonly groups: readonly PluginGroup[] }) {
  const documentation = useResource(
    type,
    (signal) => get<{ markdown: string }>(`/api/v1/plugins/${encodeURIComponent(type)}`, {}, signal),
  );
  const group = groups.find(({ types }) => types.some(({ cls }) => cls === type));
  const kind = kindOf(type, groups);
  const use = kind === "condition" || !may("change")
    ? undefined
    : (example: string) => openDraft(flowAround(example, kind));
  return (
    <div class="plugin-page">
      <article class="card">
        <Loaded resource={documentation} rows={12}>
          {({ markdown }) => <LazyMarkdown key={type} text={withoutTitle(markdown)} onUse={use} />}
        </Loaded>
      </article>
      {group && (
        <nav class="card" aria-label={group.name}>
          <h2>{group.name}</h2>
          <ul>
            {group.types.map(({ cls, title }) => (
              <li key={cls}>
                <a href={pagePath("plugins", cls)} aria-current={cls === type ? "page" : undefined}>
                  {title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      )}
    </div>
  );
}

/** The page has the title already. */
function withoutTitle(markdown: string): string {
  return markdown.replace(/^# .*\n/, "");
}
