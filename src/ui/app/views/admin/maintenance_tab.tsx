/** How the data is looked after: what is removed by itself, and the commands that check and save the data. */
import { get } from "../../api/client.ts";
import { useResource } from "../../core/resource.ts";
import { shellQuoted } from "../../core/shell.ts";
import { sizeText } from "../../core/sizes.ts";
import { Loaded } from "../../kit/feedback.tsx";
import { CopyButton } from "../../kit/values.tsx";
import { t, type TextName } from "../../texts/mod.ts";
import { PurgeSection, StopSection } from "./maintenance_actions.tsx";

interface Settings {
  readonly retention: { readonly maxAge?: string; readonly maxCount?: number };
  readonly maxUploadBytes: number;
  readonly isProtected: boolean;
  readonly dataDir?: string;
}

/** The tab. */
export function MaintenanceTab() {
  const settings = useResource("settings", (signal) => get<Settings>("/api/v1/settings", {}, signal));
  return (
    <Loaded resource={settings} rows={3}>
      {(found) => (
        <>
          <Rules settings={found} />
          <StopSection />
          <PurgeSection />
          <Commands dataDir={found.dataDir ?? "./sluice-data"} />
        </>
      )}
    </Loaded>
  );
}

function Rules({ settings: { retention, maxUploadBytes, isProtected, dataDir } }: {
  readonly settings: Settings;
}) {
  const facts: readonly (readonly [TextName, string])[] = [
    ["admin.maxAge", retention.maxAge ?? t("admin.keptForever")],
    ["admin.maxCount", retention.maxCount?.toLocaleString() ?? t("admin.keptForever")],
    ["admin.maxUpload", sizeText(maxUploadBytes)],
    ["admin.protection", t(isProtected ? "admin.isProtected" : "admin.isOpen")],
    ["admin.dataDir", dataDir ?? "–"],
  ];
  return (
    <section class="section">
      <h2>{t("admin.settings")}</h2>
      <p class="dim">{t("admin.settingsHint")}</p>
      <dl class="cards">
        {facts.map(([title, value]) => (
          <div key={title} class="card fact">
            <dt>{t(title)}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Commands({ dataDir }: { readonly dataDir: string }) {
  const quoted = shellQuoted(dataDir);
  const commands: readonly (readonly [TextName, TextName, string])[] = [
    ["admin.doctor", "admin.doctorHint", `sluice doctor --data-dir ${quoted}`],
    ["admin.backup", "admin.backupHint", `tar -czf sluice-backup.tgz -C ${quoted} .`],
  ];
  return (
    <>
      {commands.map(([title, hint, command]) => (
        <section key={title} class="section">
          <div class="section-head">
            <h2>{t(title)}</h2>
            <CopyButton text={command} />
          </div>
          <p class="dim">{t(hint)}</p>
          <pre class="code" tabIndex={0}>{command}</pre>
        </section>
      ))}
    </>
  );
}
