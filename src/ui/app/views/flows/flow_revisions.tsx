/** The revisions of a flow: two of them side by side, and the way back to an older one. */
import { useState } from "preact/hooks";
import { ApiError, get, send } from "../../api/client.ts";
import type { FlowSource } from "../../api/flow_entities.ts";
import { may } from "../../core/access.ts";
import { apiPath, pagePath } from "../../core/places.ts";
import { useResource } from "../../core/resource.ts";
import { query, setQuery } from "../../core/router.ts";
import { confirmed } from "../../kit/dialog.tsx";
import { attempt, EmptyState, Loaded, showToast } from "../../kit/feedback.tsx";
import { lazyPart } from "../../kit/lazy_part.tsx";
import { t } from "../../texts/mod.ts";

const DiffView = lazyPart(() => import("../editor/diff_view.tsx").then((module) => module.DiffView));

/** The flow has changed since it was loaded. */
const CONFLICT = 412;

interface RevisionsProps {
  readonly flow: FlowSource;
  readonly reload: () => Promise<void>;
}

/** The tab; which revisions are compared is in the address. */
export function FlowRevisions({ flow, reload }: RevisionsProps) {
  const { namespace, id, revision } = flow;
  const path = `${apiPath("flows", namespace, id)}/revisions`;
  const list = useResource(`${path} ${revision}`, (signal) => get<FlowSource[]>(path, {}, signal));
  // A newer revision of somebody else must not replace what a person looks at; `undefined`: the newest is shown.
  const [seen, setSeen] = useState<number | undefined>(revision);
  return (
    <Loaded resource={list}>
      {(revisions) =>
        revisions.length < 2
          ? <OneRevision flow={flow} />
          : <Comparison {...{ flow, revisions, seen, setSeen, reload }} />}
    </Loaded>
  );
}

function OneRevision({ flow: { namespace, id } }: Pick<RevisionsProps, "flow">) {
  return (
    <EmptyState title={t("flows.oneRevision")}>
      <p>{t("flows.oneRevisionHint")}</p>
      <a class="button" href={pagePath("flows", "edit", namespace, id, "editor")}>{t("flows.tab.editor")}</a>
    </EmptyState>
  );
}

interface ComparisonProps extends RevisionsProps {
  readonly revisions: readonly FlowSource[];
  readonly seen: number | undefined;
  readonly setSeen: (revision: number | undefined) => void;
}

function Comparison({ flow, revisions, seen, setSeen, reload }: ComparisonProps) {
  const newest = [...revisions].sort((a, b) => b.revision - a.revision);
  const find = (text: string | null) => newest.find(({ revision }) => String(revision) === text);
  const right = find(query.value.get("right")) ?? find(String(seen)) ?? newest[0];
  // Links name one revision, which is shown beside the newest one, or beside the one before if it is the newest.
  const named = find(query.value.get("revision"));
  const left = find(query.value.get("left")) ?? (named === right ? undefined : named) ??
    newest.find(({ revision }) => revision < (right?.revision ?? 0)) ?? right;
  if (!left || !right) return null;
  const restoreLeft = async () => {
    const outcome = await restore({ ...flow, revision: seen ?? flow.revision }, left);
    if (outcome === undefined) return;
    setSeen(undefined);
    // After a conflict the revision that a person wanted stays beside the newest one, which it would replace.
    const kept = outcome === "saved" ? undefined : String(left.revision);
    setQuery({ left: kept, right: undefined, revision: undefined });
    await reload();
  };
  return (
    <>
      <div class="filters">
        <Choice name="left" value={left.revision} revisions={newest} />
        <span aria-hidden="true">↔</span>
        <Choice name="right" value={right.revision} revisions={newest} />
        {left.revision !== flow.revision && may("change") && (
          <button
            type="button"
            onClick={() => void restoreLeft()}
          >
            {t("flows.restore", { revision: left.revision })}
          </button>
        )}
      </div>
      <DiffView
        key={`${left.revision}-${right.revision}`}
        before={left.source}
        after={right.source}
        beforeTitle={t("flows.revisionOf", { revision: left.revision })}
        afterTitle={t("flows.revisionOf", { revision: right.revision })}
      />
    </>
  );
}

function Choice({ name, value, revisions }: {
  readonly name: "left" | "right";
  readonly value: number;
  readonly revisions: readonly FlowSource[];
}) {
  return (
    <select
      aria-label={t(`flows.side.${name}`)}
      value={String(value)}
      onChange={(event) => setQuery({ [name]: event.currentTarget.value })}
    >
      {revisions.map(({ revision }) => (
        <option key={revision} value={String(revision)}>{t("flows.revisionOf", { revision })}</option>
      ))}
    </select>
  );
}

/** Saves an older source as the next revision, after a question. `undefined`: not sent, or refused. */
async function restore(flow: FlowSource, old: FlowSource): Promise<"saved" | "conflict" | undefined> {
  const { revision } = old;
  const action = t("flows.restore", { revision });
  if (!await confirmed({ title: action, text: t("flows.confirmRestore", { revision }), action })) {
    return undefined;
  }
  const outcome = await attempt(() => replaceSource(flow, old.source));
  if (outcome === "saved") showToast("good", t("flows.restored", { revision }));
  if (outcome === "conflict") showToast("bad", t("flows.changedMeanwhile"));
  return outcome;
}

/** `conflict` if the flow has a newer revision than the given one. @throws ApiError */
async function replaceSource(flow: FlowSource, body: string): Promise<"saved" | "conflict"> {
  const headers = { "content-type": "application/x-yaml", "if-match": `"${flow.revision}"` };
  try {
    await send("PUT", apiPath("flows", flow.namespace, flow.id), { body, headers });
    return "saved";
  } catch (error) {
    if (error instanceof ApiError && error.status === CONFLICT) return "conflict";
    throw error;
  }
}
