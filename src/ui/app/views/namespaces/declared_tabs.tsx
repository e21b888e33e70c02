/** Variables and plugin defaults of a namespace, edited as YAML; beside them what it inherits. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { get, send, sendText } from "../../api/client.ts";
import { May, may } from "../../core/access.ts";
import { apiPath, pagePath } from "../../core/places.ts";
import { type Resource, useResource } from "../../core/resource.ts";
import { guardLeaving } from "../../core/router.ts";
import { Loaded, showToast } from "../../kit/feedback.tsx";
import { SaveQueue } from "../../kit/save_queue.ts";
import { t } from "../../texts/mod.ts";
import type { TabProps } from "./namespace.ts";
import { parentsOf } from "./namespace_tree.ts";

const YAML = "application/x-yaml";
const VARIABLES_EXAMPLE = `region: eu-west-1
limits:
  rows: 1000`;
const DEFAULTS_EXAMPLE = `- type: io.svc.plugin.core.log.Log
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
      <InheritedVariables namespace={namespace} />
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
      <InheritedDefaults namespace={namespace} />
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
  const stored = useSignal(text);
  const refusal = useSignal<string | undefined>(undefined);
  const isChanged = draft.value !== stored.value;
  useEffect(
    () => guardLeaving(() => draft.value === stored.value ? undefined : t("namespaces.unsaved")),
    [],
  );
  useEffect(() => {
    // The server writes a saved text in its own way. What was typed since then stays.
    if (draft.peek() === stored.peek()) draft.value = text;
    stored.value = text;
  }, [text]);
  const saves = useMemo(() => new SaveQueue<void>(() => draft.value), []);
  const store = async (sent: string) => {
    try {
      await send("PUT", path, { body: sent, headers: { "content-type": YAML } });
      stored.value = sent;
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
        readOnly={!may("change")}
        spellcheck={false}
        placeholder={placeholder}
        value={draft.value}
        onInput={(event) => draft.value = event.currentTarget.value}
      />
      {refusal.value !== undefined && <div class="notice bad" role="alert">{refusal.value}</div>}
      <May>
        <div class="actions">
          <button type="button" class="primary" disabled={!isChanged} onClick={() => void saves.run(store)}>
            {t("common.save")}
          </button>
          <button type="button" disabled={!isChanged} onClick={() => draft.value = stored.value}>
            {t("namespaces.discard")}
          </button>
        </div>
      </May>
    </>
  );
}

/** What one namespace above declares; without a name it is the server. */
interface InheritedPart {
  readonly owner?: string;
  readonly text: string;
}

/** The variables of the namespaces above, the nearest first: of equal names its value is read. */
function InheritedVariables({ namespace }: TabProps) {
  const parts = useResource(namespace, (signal) => {
    const owners = parentsOf(namespace).reverse();
    return Promise.all(owners.map(async (owner): Promise<InheritedPart> => {
      const path = `/namespaces${apiPath(owner, "variables")}`;
      return { owner, text: (await sendText("GET", path, { headers: { accept: YAML }, signal })).trim() };
    }));
  });
  return <Inherited parts={parts} tab="variables" />;
}

interface PluginDefault {
  readonly namespace?: string;
  readonly type: string;
  readonly values: object;
}

function InheritedDefaults({ namespace }: TabProps) {
  const path = `/namespaces${apiPath(namespace, "inherited-plugindefaults")}`;
  const parts = useResource(path, async (signal) => {
    const found = await get<readonly PluginDefault[]>(path, {}, signal);
    return found.map(({ namespace: owner, type, values }): InheritedPart => ({
      owner,
      text: `${type}\n${JSON.stringify(values, null, 2)}`,
    }));
  });
  return <Inherited parts={parts} tab="plugin-defaults" />;
}

function Inherited({ parts, tab }: {
  readonly parts: Resource<readonly InheritedPart[]>;
  readonly tab: string;
}) {
  return (
    <section class="section">
      <h2>{t("namespaces.inherited")}</h2>
      <Loaded resource={parts} rows={3}>
        {(all) => {
          const declared = all.filter(({ text }) => text !== "" && text !== "{}");
          if (declared.length === 0) return <p class="dim">{t("namespaces.inheritsNothing")}</p>;
          return declared.map(({ owner, text }) => (
            <figure key={`${owner} ${text}`} class="inherited">
              <figcaption>
                {owner === undefined
                  ? t("items.inheritedServer")
                  : (
                    <a href={pagePath("namespaces", owner, tab)}>
                      {t("items.inheritedFrom", { namespace: owner })}
                    </a>
                  )}
              </figcaption>
              <pre class="code" tabIndex={0}>{text}</pre>
            </figure>
          ));
        }}
      </Loaded>
    </section>
  );
}
