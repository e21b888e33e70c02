/** `/namespaces/:id/:tab`: a namespace with its tabs. */
import { type ComponentType, Fragment } from "preact";
import { send } from "../../api/client.ts";
import { May } from "../../core/access.ts";
import { pagePath } from "../../core/places.ts";
import { useResource } from "../../core/resource.ts";
import { attempt, EmptyState, Loaded } from "../../kit/feedback.tsx";
import { Tabs, ViewHead } from "../../layout/shell.tsx";
import { t, type TextName } from "../../texts/mod.ts";
import { PluginDefaultsTab, VariablesTab } from "./declared_tabs.tsx";
import { DeleteNamespaceButton } from "./delete_namespace.tsx";
import { FilesTab } from "./files_tab.tsx";
import { KvTab } from "./kv_tab.tsx";
import { ExecutionsTab, FlowsTab } from "./list_tabs.tsx";
import { readNamespace, type TabProps } from "./namespace.ts";
import { parentsOf } from "./namespace_tree.ts";
import { OverviewTab } from "./overview_tab.tsx";
import { RenameNamespaceButton } from "./rename_namespace.tsx";
import { SecretsTab } from "./secrets_tab.tsx";

const TABS: readonly (readonly [name: string, title: TextName, content: ComponentType<TabProps>])[] = [
  ["overview", "namespaces.overview", OverviewTab],
  ["flows", "nav.flows", FlowsTab],
  ["executions", "nav.executions", ExecutionsTab],
  ["files", "namespaces.files", FilesTab],
  ["kv", "namespaces.kv", KvTab],
  ["secrets", "namespaces.secrets", SecretsTab],
  ["variables", "namespaces.variables", VariablesTab],
  ["plugin-defaults", "namespaces.pluginDefaults", PluginDefaultsTab],
];

/** The page. */
export function NamespacePage({ id, tab }: { readonly id: string; readonly tab: string }) {
  const namespace = useResource(id, (signal) => readNamespace(id, signal));
  const Content = TABS.find(([name]) => name === tab)?.[2];
  const tabs = TABS.map(([name, title]) => ({
    name,
    title: t(title),
    href: pagePath("namespaces", id, name === "overview" ? undefined : name),
  }));
  if (namespace.error?.status === 404) {
    return (
      <EmptyState title={t("namespaces.unknown", { namespace: id })}>
        <p>{namespace.error.message}</p>
        <div class="actions">
          <a class="button" href={pagePath("namespaces")}>{t("namespaces.all")}</a>
          <CreateButton id={id} reload={namespace.reload} />
        </div>
      </EmptyState>
    );
  }
  return (
    <>
      <ViewHead title={id} above={<Above id={id} />}>
        {namespace.data?.exists && (
          <May>
            <RenameNamespaceButton namespace={id} />
            <DeleteNamespaceButton namespace={id} />
          </May>
        )}
      </ViewHead>
      <Tabs tabs={tabs} present={tab} label={t("namespaces.parts", { namespace: id })} />
      <Loaded resource={namespace}>
        {({ exists }) => (
          <>
            {!exists && <Unknown id={id} reload={namespace.reload} />}
            {Content ? <Content namespace={id} /> : <EmptyState title={t("notFound.title")} />}
          </>
        )}
      </Loaded>
    </>
  );
}

interface MissingProps {
  readonly id: string;
  readonly reload: () => Promise<void>;
}

/** Above the tabs, not in their place: files, KV pairs and secrets can be stored before there is a flow. */
function Unknown({ id, reload }: MissingProps) {
  return (
    <div class="notice warn" role="status">
      <strong>{t("namespaces.unknown", { namespace: id })}</strong>
      <span>{t("namespaces.unknownHint")}</span>
      <CreateButton id={id} reload={reload} />
    </div>
  );
}

function CreateButton({ id, reload }: MissingProps) {
  const create = async () => {
    const body = { id };
    await attempt(() => send("POST", "/namespaces", { body }), t("namespaces.created", { namespace: id }));
    await reload();
  };
  return (
    <May>
      <button type="button" onClick={() => void create()}>{t("namespaces.createIt")}</button>
    </May>
  );
}

function Above({ id }: { readonly id: string }) {
  return (
    <>
      <a href={pagePath("namespaces")}>{t("namespaces.title")}</a>
      {parentsOf(id).map((parent) => (
        <Fragment key={parent}>
          {" › "}
          <a href={pagePath("namespaces", parent)}>{parent.split(".").at(-1)}</a>
        </Fragment>
      ))}
    </>
  );
}
