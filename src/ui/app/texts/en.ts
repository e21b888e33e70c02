/** English. The names are in the order of the views; `{name}` stands for a value. */
import { FLOWS_EN } from "./en/flows.ts";
import { GRAPH_EN } from "./en/graph.ts";
import { ADMIN_EN } from "./en/admin.ts";
import { USERS_EN } from "./en/users.ts";
import { FILES_EN } from "./en/files.ts";
import { ITEMS_EN } from "./en/namespace_items.ts";
import { NAMESPACES_EN } from "./en/namespaces.ts";
import { LISTS_EN } from "./en/lists.ts";
import { DASHBOARDS_EN } from "./en/dashboards.ts";

import { EXECUTION_EN } from "./en/execution.ts";

/** All texts. */
export const EN = {
  "nav.dashboard": "Dashboard",
  "nav.executions": "Executions",
  "nav.flows": "Flows",
  "nav.triggers": "Triggers",
  "nav.namespaces": "Namespaces",
  "nav.logs": "Logs",
  "nav.plugins": "Plugins",
  "nav.blueprints": "Templates",
  "nav.admin": "Administration",
  "nav.settings": "Settings",
  "nav.main": "Main navigation",
  "nav.menu": "Menu",
  "nav.search": "Search or run a command",
  "nav.logOut": "Log out",
  "nav.skip": "Skip to content",
  "common.loading": "Loading…",
  "common.retry": "Try again",
  "common.cancel": "Cancel",
  "common.undo": "Undo",
  "common.close": "Close",
  "common.save": "Save",
  "common.delete": "Delete",
  "common.create": "Create",
  "common.edit": "Edit",
  "common.copy": "Copy",
  "common.copied": "Copied",
  "common.export": "Export {format}",
  "common.clear": "Clear filters",
  "common.refresh": "Refresh",
  "common.more": "More",
  "common.yes": "Yes",
  "common.no": "No",
  "common.namespace": "Namespace",
  "common.flow": "Flow",
  "common.state": "State",
  "common.labels": "Labels",
  "common.start": "Start",
  "common.duration": "Duration",
  "common.search": "Search",
  "common.total": "{count} in all",
  "common.selected": "{count} selected",
  "common.page": "Page {page} of {pages}",
  "common.previous": "Previous page",
  "common.next": "Next page",
  "common.actions": "Actions",
  "error.title": "This could not be loaded",
  "error.unreachable": "The server cannot be reached. The page tries again by itself.",
  "error.status": "The response has status {status} and does not say why.",
  "error.crashed": "This part of the page failed. Loading the page again may help.",
  "error.partNotLoaded":
    "This part of the page could not be loaded: the server cannot be reached, or was updated.",
  "error.reload": "Load the page again",
  "notFound.title": "There is nothing here",
  "notFound.text": "No page has the address {path}.",
  "notFound.home": "To the dashboard",
  "executions.title": "Executions",
  "executions.none": "There are no executions yet",
  "executions.noneHint": "Open a flow and run it, or start one by the API.",
  "executions.noMatch": "No execution matches the filters",
  "executions.id": "Execution",
  "executions.trigger": "Trigger",
  "executions.bulk.restart": "Restart",
  "executions.bulk.replay": "Replay",
  "executions.bulk.kill": "Kill",
  "executions.changed": "Done for {count} executions: {action}",
  "executions.confirm": "{action}: {count} executions. Continue?",
  ...EXECUTION_EN,
  ...FLOWS_EN,
  ...GRAPH_EN,
  ...NAMESPACES_EN,
  ...FILES_EN,
  ...ITEMS_EN,
  ...ADMIN_EN,
  ...USERS_EN,
  ...LISTS_EN,
  ...DASHBOARDS_EN,
} as const;

/** The name of a text. */
export type TextName = keyof typeof EN;

/** All texts of a language; a missing one is a type error. */
export type Texts = Readonly<Record<TextName, string>>;
