/** Flows whose source contains a text, with the places. */
import { get, type Page } from "../../api/client.ts";
import type { FlowRow } from "../../api/flow_entities.ts";
import { pageIn } from "../../core/page_number.ts";
import { pagePath } from "../../core/places.ts";
import { useResource } from "../../core/resource.ts";
import { query } from "../../core/router.ts";
import { EmptyState, Loaded } from "../../kit/feedback.tsx";
import { Pager } from "../../kit/table.tsx";
import { t } from "../../texts/mod.ts";

interface Match {
  readonly model: FlowRow;
  /** Parts of the source; what was found stands between `[mark]` and `[/mark]`. */
  readonly fragments: readonly string[];
}

const SIZE = 20;

/** The matches. */
export function SourceMatches({ text, filters }: {
  readonly text: string;
  readonly filters: Readonly<Record<string, string>>;
}) {
  const page = pageIn(query.value);
  const wanted = { ...filters, q: text, page, size: SIZE };
  const found = useResource(
    JSON.stringify(wanted),
    (signal) => get<Page<Match>>("/flows/source", wanted, signal),
  );
  return (
    <Loaded resource={found}>
      {({ results, total }) =>
        total === 0 ? <EmptyState title={t("flows.noSource", { text })} /> : (
          <>
            <ul class="source-matches">
              {results.map((match) => (
                <SourceMatch key={`${match.model.namespace}/${match.model.id}`} match={match} />
              ))}
            </ul>
            <Pager
              page={page}
              size={SIZE}
              shown={results.length}
              total={total}
            />
          </>
        )}
    </Loaded>
  );
}

function SourceMatch({ match: { model: { namespace, id }, fragments } }: { readonly match: Match }) {
  return (
    <li class="card">
      <a href={pagePath("flows", "edit", namespace, id, "editor")}>
        <span class="dim">{namespace}.</span>
        {id}
      </a>
      {fragments.map((fragment, index) => <pre key={index}>{marked(fragment)}</pre>)}
    </li>
  );
}

function marked(fragment: string) {
  return fragment.split(/\[mark\]|\[\/mark\]/).map((part, index) =>
    index % 2 === 1 ? <mark key={index}>{part}</mark> : part
  );
}
