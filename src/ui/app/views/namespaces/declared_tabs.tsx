/** Variables and plugin defaults of a namespace, edited as YAML; beside them what it inherits. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { get, send, sendText } from "../../api/client.ts";
import { apiPath } from "../../core/places.ts";
import { useResource } from "../../core/resource.ts";
import { guardLeaving } from "../../core/router.ts";
import { Loaded, showToast } from "../../kit/feedback.tsx";
import { t } from "../../texts/mod.ts";
import type { TabProps } from "./namespace.ts";

const YAML = "application/x-yaml";
const VARIABLES_EXAMPLE = `region: eu-west-1
limits:
  rows: 1000`;
const DEFAULTS_EXAMPLE = `- type: io.kestra.plugin.core.log.Log
  values:
    level: INFO`;

/** The tab of variables. */
export function VariablesTab({ namespace }: TabProps) {
  return (
    <YamlTab
      namespace={namespace}
      part="variables"
      label={t("namespaces.variables")}
      hint={t("namespaces.variablesHint", { expression: "{{ namespace.region }}" })}
      placeholder={VARIABLES_EXAMPLE}
    >
      <Inherited namespace={namespace} path="inherited-variables" />
    </YamlTab>
  );
}

/** The tab of plugin defaults. */
export function PluginDefaultsTab({ namespace }: TabProps) {
  return (
    <YamlTab
      namespace={namespace}
      part="plugindefaults"
      label={t("namespaces.pluginDefaults")}
      hint={t("namespaces.pluginDefaultsHint")}
      placeholder={DEFAULTS_EXAMPLE}
    >
      <Inherited namespace={namespace} path="inherited-plugindefaults" />
    </YamlTab>
  );
}

interface YamlTabProps extends TabProps {
  /** Last segment of the path. */
  readonly part: string;
  readonly label: string;
  readonly hint: string;
  readonly placeholder: string;
  readonly children: ComponentChildren;
}

function YamlTab({ namespace, part, label, hint, placeholder, children }: YamlTabProps) {
  const path = `/namespaces${apiPath(namespace, part)}`;
  const stored = useResource(path, (signal) => sendText("GET", path, { headers: { accept: YAML }, signal }));
  return (
    <div class="beside">
      <section class="section">
        <p class="dim">{hint}</p>
        <Loaded resource={stored}>
          {(text) => (
            <YamlForm
              key={text}
              text={text.trim() === "[]" ? "" : text}
              path={path}
              label={label}
              placeholder={placeholder}
              reload={stored.reload}
            />
          )}
        </Loaded>
      </section>
      {children}
    </div>
  );
}

interface YamlFormProps {
  readonly path: string;
  readonly text: string;
  readonly label: string;
  readonly placeholder: string;
  readonly reload: () => Promise<void>;
}

function YamlForm({ path, text, label, placeholder, reload }: YamlFormProps) {
  const draft = useSignal(text);
  const refusal = useSignal<string | undefined>(undefined);
  const isChanged = draft.value !== text;
  useEffect(() => guardLeaving(() => draft.value === text ? undefined : t("namespaces.unsaved")), [text]);
  const save = async () => {
    try {
      await send("PUT", path, { body: draft.value, headers: { "content-type": YAML } });
      refusal.value = undefined;
      showToast("good", t("namespaces.saved", { what: label }));
      await reload();
    } catch (error) {
      refusal.value = error instanceof Error ? error.message : String(error);
    }
  };
  return (
    <>
      <textarea
        class="source"
        aria-label={label}
        aria-invalid={refusal.value !== undefined}
        rows={16}
        spellcheck={false}
        placeholder={placeholder}
        value={draft.value}
        onInput={(event) => draft.value = event.currentTarget.value}
      />
      {refusal.value !== undefined && <div class="notice bad" role="alert">{refusal.value}</div>}
      <div class="actions">
        <button type="button" class="primary" disabled={!isChanged} onClick={() => void save()}>
          {t("common.save")}
        </button>
        <button type="button" disabled={!isChanged} onClick={() => draft.value = text}>
          {t("namespaces.discard")}
        </button>
      </div>
    </>
  );
}

function Inherited({ namespace, path }: { readonly namespace: string; readonly path: string }) {
  const url = `/namespaces${apiPath(namespace, path)}`;
  const inherited = useResource(url, (signal) => get<object>(url, {}, signal));
  return (
    <section class="section">
      <h2>{t("namespaces.inherited")}</h2>
      <Loaded resource={inherited} rows={3}>
        {(value) =>
          Object.keys(value).length === 0
            ? <p class="dim">{t("namespaces.inheritsNothing")}</p>
            : <pre class="code">{JSON.stringify(value, null, 2)}</pre>}
      </Loaded>
    </section>
  );
}
