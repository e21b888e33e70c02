/** Templates of flows as cards. */
import { get, type Page } from "../../api/client.ts";
import type { BlueprintRow } from "../../api/flow_entities.ts";
import { May } from "../../core/access.ts";
import { pagePath } from "../../core/places.ts";
import { useResource } from "../../core/resource.ts";
import { Loaded } from "../../kit/feedback.tsx";
import { CodeText } from "../../kit/values.tsx";
import { t } from "../../texts/mod.ts";

/** Path of the templates of flows. */
export const TEMPLATES_PATH = "/blueprints/community/flow";

/** The first templates. */
export function Templates({ size }: { readonly size: number }) {
  const list = useResource(
    `templates ${size}`,
    (signal) => get<Page<BlueprintRow>>(TEMPLATES_PATH, { size }, signal),
  );
  return (
    <Loaded resource={list} rows={3}>
      {({ results }) => (
        <ul class="templates">
          {results.map((template) => <TemplateCard key={template.id} template={template} />)}
        </ul>
      )}
    </Loaded>
  );
}

/** A template with the buttons that open it. */
export function TemplateCard({ template, tagNames, preview }: {
  readonly template: BlueprintRow;
  /** By the id of the tag; absent: tags are not shown. */
  readonly tagNames?: ReadonlyMap<string, string>;
  /** Shows its source; absent: it has no button for that. */
  readonly preview?: () => void;
}) {
  const { id, title, description, tags } = template;
  return (
    <li class="card template">
      <h2>{title}</h2>
      <p class="dim">
        <CodeText text={description} />
      </p>
      {tagNames && <p>{tags.map((tag) => <span key={tag} class="label">{tagNames.get(tag) ?? tag}</span>)}
      </p>}
      <div class="actions">
        {preview && <button type="button" onClick={preview}>{t("blueprints.preview")}</button>}
        <May>
          <a class="button primary" href={`${pagePath("flows", "new")}?blueprint=${encodeURIComponent(id)}`}>
            {t("blueprints.use")}
          </a>
        </May>
      </div>
    </li>
  );
}
