/** How the data is looked after: what is removed by itself, and how it is backed up and checked. */
import { get } from "../../api/client.ts";
import { May } from "../../core/access.ts";
import { countText } from "../../core/numbers.ts";
import { useResource } from "../../core/resource.ts";
import { shellQuoted } from "../../core/shell.ts";
import { sizeText } from "../../core/sizes.ts";
import { Loaded } from "../../kit/feedback.tsx";
import { CopyButton } from "../../kit/values.tsx";
import { t, type TextName } from "../../texts/mod.ts";
import { BackupsSection } from "./backups_section.tsx";
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
          <May>
            <StopSection />
            <PurgeSection />
          </May>
          <May right="administer">
            <BackupsSection />
            <Doctor dataDir={found.dataDir ?? "./sluice-data"} />
          </May>
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
    [
      "admin.maxCount",
      retention.maxCount === undefined ? t("admin.keptForever") : countText(retention.maxCount),
    ],
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

function Doctor({ dataDir }: { readonly dataDir: string }) {
  const command = `sluice doctor --data-dir ${shellQuoted(dataDir)}`;
  return (
    <section class="section">
      <div class="section-head">
        <h2>{t("admin.doctor")}</h2>
        <CopyButton text={command} />
      </div>
      <p class="dim">{t("admin.doctorHint")}</p>
      <pre class="code" tabIndex={0}>{command}</pre>
    </section>
  );
}
