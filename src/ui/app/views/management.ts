/** Views beside flows and executions. They are small and share much, so they are one script. */
export { default as AdminView } from "./admin/admin_view.tsx";
export { BlueprintList } from "./blueprints/blueprint_list.tsx";
export { default as DashboardPage } from "./dashboards/dashboard_page.tsx";
export { FilesTab } from "./namespaces/files_tab.tsx";
export { LogSearch } from "./logs/log_search.tsx";
export { default as NamespacesView } from "./namespaces/namespaces_view.tsx";
export { PluginList } from "./plugins/plugin_list.tsx";
export { default as SettingsView } from "./settings/settings_view.tsx";
export { default as TriggerList } from "./triggers/trigger_list.tsx";
