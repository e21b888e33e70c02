/** `/settings`: what a person prefers in this browser. */
import { choose, DEFAULTS, type Preferences, preferences } from "../../core/preferences.ts";
import { dateTimeText, now } from "../../core/time.ts";
import { showToast } from "../../kit/feedback.tsx";
import { Field } from "../../kit/form.tsx";
import { ViewHead } from "../../layout/shell.tsx";
import { t, type TextName } from "../../texts/mod.ts";
import { PasswordCard } from "./password_card.tsx";

type ChoiceName = Exclude<keyof Preferences, "timeZone" | "editorFontSize">;

interface Choice<Name extends ChoiceName> {
  readonly name: Name;
  readonly title: TextName;
  readonly values:
    readonly (readonly [value: Preferences[Name], text: TextName | { readonly own: string }])[];
}

const THEME: Choice<"theme"> = {
  name: "theme",
  title: "settings.theme",
  values: [["auto", "settings.auto"], ["light", "settings.light"], ["dark", "settings.dark"]],
};
const LANGUAGE: Choice<"language"> = {
  name: "language",
  title: "settings.language",
  // Each language by its own name.
  values: [
    ["auto", "settings.auto"],
    ["en", { own: "English" }],
    ["de", { own: "Deutsch" }],
    ["fr", { own: "Français" }],
  ],
};
const DENSITY: Choice<"density"> = {
  name: "density",
  title: "settings.density",
  values: [["comfortable", "settings.comfortable"], ["compact", "settings.compact"]],
};
const DATE_FORMAT: Choice<"dateFormat"> = {
  name: "dateFormat",
  title: "settings.dateFormat",
  values: [["relative", "settings.relative"], ["absolute", "settings.absolute"]],
};
const LOG_LEVEL: Choice<"logLevel"> = {
  name: "logLevel",
  title: "settings.logLevel",
  values: (["TRACE", "DEBUG", "INFO", "WARN", "ERROR"] as const).map((each) =>
    [each, { own: each }] as const
  ),
};

/** The view. */
export default function SettingsView() {
  const reset = () => {
    const before = preferences.value;
    choose(DEFAULTS);
    showToast("good", t("settings.wasReset"), () => choose(before));
  };
  return (
    <>
      <ViewHead title={t("nav.settings")}>
        <button type="button" onClick={reset}>{t("settings.reset")}</button>
      </ViewHead>
      <p class="dim">{t("settings.hint")}</p>
      <div class="settings">
        <section class="card">
          <h2>{t("settings.look")}</h2>
          <ChoiceField choice={THEME} />
          <ChoiceField choice={DENSITY} />
          <ChoiceField choice={LANGUAGE} />
        </section>
        <section class="card">
          <h2>{t("settings.dates")}</h2>
          <TimeZoneField />
          <ChoiceField choice={DATE_FORMAT} />
        </section>
        <section class="card">
          <h2>{t("settings.work")}</h2>
          <ChoiceField choice={LOG_LEVEL} />
          <FontSizeField />
        </section>
        <PasswordCard />
      </div>
    </>
  );
}

function ChoiceField<Name extends ChoiceName>({ choice }: { readonly choice: Choice<Name> }) {
  const { name, title, values } = choice;
  return (
    <Field title={t(title)}>
      <select
        value={preferences.value[name]}
        onChange={({ currentTarget }) => choose({ [name]: currentTarget.value })}
      >
        {values.map(([value, text]) => (
          <option key={value} value={value}>{typeof text === "string" ? t(text) : text.own}</option>
        ))}
      </select>
    </Field>
  );
}

function TimeZoneField() {
  const { timeZone } = preferences.value;
  const local = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const example = dateTimeText(new Date(now.value).toISOString());
  return (
    <Field title={t("settings.timeZone")} hint={t("settings.timeIs", { time: example })}>
      <select value={timeZone} onChange={({ currentTarget }) => choose({ timeZone: currentTarget.value })}>
        <option value="local">{t("settings.local", { zone: local })}</option>
        <option value="UTC">UTC</option>
        {Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC").map((zone) => (
          <option key={zone} value={zone}>{zone}</option>
        ))}
      </select>
    </Field>
  );
}

const [MIN_FONT, MAX_FONT] = [10, 24];
const FONT_EXAMPLE = `id: hello
namespace: demo`;

function FontSizeField() {
  const { editorFontSize } = preferences.value;
  const change = (text: string) => {
    const size = Math.min(MAX_FONT, Math.max(MIN_FONT, Math.round(Number(text))));
    if (Number.isFinite(size)) choose({ editorFontSize: size });
  };
  return (
    <>
      <Field title={t("settings.fontSize")}>
        <input
          type="number"
          min={MIN_FONT}
          max={MAX_FONT}
          value={editorFontSize}
          onChange={(event) => change(event.currentTarget.value)}
        />
      </Field>
      <pre class="code" style={{ fontSize: `${editorFontSize}px` }}>{FONT_EXAMPLE}</pre>
    </>
  );
}
