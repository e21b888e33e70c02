/** Backups of the server: made now, watched, downloaded and deleted. */
import { get, type Page, send, urlOf } from "../../api/client.ts";
import { apiPath } from "../../core/places.ts";
import { useResource } from "../../core/resource.ts";
import { sizeText } from "../../core/sizes.ts";
import { useSignal } from "@preact/signals";
import { confirmed } from "../../kit/dialog.tsx";
import { attempt, Loaded } from "../../kit/feedback.tsx";
import { Outcome } from "../../kit/outcome.tsx";
import { type Column, Table } from "../../kit/table.tsx";
import { Time } from "../../kit/values.tsx";
import { t } from "../../texts/mod.ts";

const PATH = "/api/v1/backups";

interface BackupRow {
  readonly id: string;
  readonly createdAt: string;
  readonly state: "RUNNING" | "SUCCESS" | "FAILED";
  readonly bytes: number;
  readonly totalBytes?: number;
  readonly error?: string;
}

/** The section. */
export function BackupsSection() {
  const isRunning = useSignal(false);
  const backups = useResource("backups", async (signal) => {
    const page = await get<Page<BackupRow>>(PATH, {}, signal);
    isRunning.value = page.results.some(({ state }) => state === "RUNNING");
    return page;
  }, { refreshMs: isRunning.value ? 2_000 : undefined });
  const start = async () => {
    await attempt(() => send("POST", PATH));
    await backups.reload();
  };
  return (
    <section class="section">
      <div class="section-head">
        <h2>{t("admin.backup")}</h2>
        <button type="button" class="primary" disabled={isRunning.value} onClick={() => void start()}>
          {t("admin.backUpNow")}
        </button>
      </div>
      <p class="dim">{t("admin.backupHint")}</p>
      <Loaded resource={backups} rows={2}>
        {({ results }) =>
          results.length === 0 ? <p class="dim">{t("admin.noBackups")}</p> : (
            <Table
              label={t("admin.backup")}
              rows={results}
              columns={columns(backups.reload)}
              keyOf={({ id }) => id}
            />
          )}
      </Loaded>
    </section>
  );
}

const columns = (reload: () => Promise<void>): readonly Column<BackupRow>[] => [
  { name: "created", title: t("admin.created"), cell: ({ createdAt }) => <Time at={createdAt} /> },
  { name: "state", title: t("common.state"), cell: (row) => <State row={row} /> },
  { name: "size", title: t("admin.size"), isNumber: true, cell: ({ bytes }) => sizeText(bytes) },
  {
    name: "actions",
    title: t("common.actions"),
    cell: (row) => (
      <div class="actions">
        {row.state === "SUCCESS" && (
          <a class="button" href={urlOf(`${PATH}${apiPath(row.id)}/download`)} download>
            {t("file.download")}
          </a>
        )}
        <button type="button" class="danger" onClick={() => void remove(row, reload)}>
          {t("executions.bulk.delete")}
        </button>
      </div>
    ),
  },
];

function State({ row: { state, bytes, totalBytes, error } }: { readonly row: BackupRow }) {
  if (state === "RUNNING") return <progress aria-label={state} value={bytes} max={totalBytes} />;
  return (
    <>
      <Outcome tone={state === "SUCCESS" ? "good" : "bad"} text={state} />
      {error && <div class="dim">{error}</div>}
    </>
  );
}

async function remove({ id }: BackupRow, reload: () => Promise<void>): Promise<void> {
  const action = t("executions.bulk.delete");
  if (!await confirmed({ title: action, text: id, action, isDangerous: true })) return;
  await attempt(() => send("DELETE", PATH + apiPath(id)));
  await reload();
}
