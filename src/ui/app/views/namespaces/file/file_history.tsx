/** The revisions of a file that the server keeps: one of them beside the present one, and the way back to it. */
import { may } from "../../../core/access.ts";
import { useResource } from "../../../core/resource.ts";
import { query, setQuery } from "../../../core/router.ts";
import { sizeText } from "../../../core/sizes.ts";
import { confirmed } from "../../../kit/dialog.tsx";
import { attempt, EmptyState, Loaded } from "../../../kit/feedback.tsx";
import { lazyPart } from "../../../kit/lazy_part.tsx";
import { Time } from "../../../kit/values.tsx";
import { t } from "../../../texts/mod.ts";
import { ExecutionLink } from "../../execution/execution_links.tsx";
import {
  downloadUrl,
  type FileRevision,
  listRevisions,
  MAX_EDITED_BYTES,
  readText,
  restoreRevision,
} from "../files.ts";

const DiffView = lazyPart(() => import("../../editor/diff_view.tsx").then((module) => module.DiffView));

interface Place {
  readonly namespace: string;
  readonly path: string;
}

interface FileHistoryProps {
  readonly place: Place;
  /** The present one. */
  readonly revision: number;
  /** Changes that are not saved. */
  readonly draft?: string;
  readonly onRestored: () => void;
}

/** The list, and the revision that the address names. */
export function FileHistory(props: FileHistoryProps) {
  const { namespace, path } = props.place;
  const list = useResource(
    `${namespace}${path} ${props.revision}`,
    (signal) => listRevisions(namespace, path, signal),
  );
  return (
    <Loaded resource={list}>
      {(revisions) =>
        revisions.length < 2
          ? <EmptyState title={t("files.oneRevision")}>{t("files.oneRevisionHint")}</EmptyState>
          : <Revisions {...props} newest={[...revisions].reverse()} />}
    </Loaded>
  );
}

function Revisions({ newest, ...props }: FileHistoryProps & { readonly newest: readonly FileRevision[] }) {
  const wanted = newest.find(({ revision }) => String(revision) === query.value.get("revision"));
  const chosen = wanted ?? newest[1];
  const present = newest[0];
  if (!chosen || !present) return null;
  return (
    <div class="history">
      <ol class="revisions" aria-label={t("files.view.history")}>
        {newest.map((each) => (
          <li key={each.revision}>
            <button
              type="button"
              class="plain"
              aria-current={each === chosen ? "true" : undefined}
              onClick={() => setQuery({ revision: String(each.revision) })}
            >
              <strong>{t("flows.revisionOf", { revision: each.revision })}</strong>
              <span class="dim">
                <Time at={new Date(each.lastModifiedTime).toISOString()} /> · {sizeText(each.size)}
                {each.author !== undefined && ` · ${authorName(each.author)}`}
              </span>
            </button>
          </li>
        ))}
      </ol>
      <ChosenRevision {...props} chosen={chosen} present={present} />
    </div>
  );
}

/** Author of a revision that a task saved; the id of its execution follows. */
const BY_TASK = "execution:";

function authorName(author: string): string {
  return author.startsWith(BY_TASK) ? t("files.byTask") : author;
}

/** The execution whose task saved the revision; nothing for one of a user. */
function TaskAuthor({ author = "" }: Pick<FileRevision, "author">) {
  if (!author.startsWith(BY_TASK)) return null;
  return (
    <p>
      {t("files.byTaskOf")} <ExecutionLink id={author.slice(BY_TASK.length)} />
    </p>
  );
}

interface ChosenProps extends FileHistoryProps {
  readonly chosen: FileRevision;
  readonly present: FileRevision;
}

function ChosenRevision({ chosen, present, place, draft, onRestored }: ChosenProps) {
  const { revision } = chosen;
  const title = t("flows.restore", { revision });
  const restore = async () => {
    const text = t(draft === undefined ? "files.confirmRestore" : "files.confirmRestoreDraft", { revision });
    if (!await confirmed({ title, text, action: title, isDangerous: draft !== undefined })) return;
    const isRestored = await attempt(async () => {
      await restoreRevision(place.namespace, place.path, revision);
      return true;
    }, t("flows.restored", { revision }));
    if (!isRestored) return;
    setQuery({ revision: undefined });
    onRestored();
  };
  return (
    <section class="section" aria-label={t("flows.revisionOf", { revision })}>
      <div class="actions">
        <a class="button" href={downloadUrl(place.namespace, place.path, revision)} download>
          {t("files.downloadRevision", { revision })}
        </a>
        {chosen !== present && may("change") && (
          <button type="button" onClick={() => void restore()}>{title}</button>
        )}
      </div>
      <TaskAuthor author={chosen.author} />
      {chosen === present ? <p class="dim">{t("files.isPresent")}</p> : (
        <Comparison
          key={`${chosen.revision} ${present.revision}`}
          place={place}
          chosen={chosen}
          present={present}
        />
      )}
    </section>
  );
}

function Comparison(
  { place: { namespace, path }, chosen, present }: Pick<ChosenProps, "place" | "chosen" | "present">,
) {
  const isLarge = Math.max(chosen.size, present.size) > MAX_EDITED_BYTES;
  const texts = useResource(`${namespace}${path} ${chosen.revision} ${present.revision}`, (signal) => {
    const both = isLarge ? [] : [chosen, present];
    return Promise.all(both.map(({ revision }) => readText(namespace, path, { revision, signal })));
  });
  return (
    <Loaded resource={texts}>
      {([before, after]) =>
        before === undefined || after === undefined || /[\0\ufffd]/.test(before + after)
          ? <p class="dim">{t("files.noComparison")}</p>
          : (
            <DiffView
              before={before}
              after={after}
              beforeTitle={t("flows.revisionOf", { revision: chosen.revision })}
              afterTitle={t("files.present", { revision: present.revision })}
              isPlain
            />
          )}
    </Loaded>
  );
}
