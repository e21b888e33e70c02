/** English texts of own dashboards. */

/** The texts. */
export const DASHBOARDS_EN = {
  "dashboards.all": "Dashboards",
  "dashboards.overview": "Overview",
  "dashboards.new": "New dashboard",
  "dashboards.view": "Back to the dashboard",
  "dashboards.source": "Source of the dashboard",
  "dashboards.unsaved": "Changes of this dashboard are not saved. Leave the page?",
  "dashboards.preview": "Preview",
  "dashboards.lastRange": "Last {range}",
  "dashboards.showAll": "Show all {count}",
  "dashboards.others": "{count} others",
  "dashboards.csv": "{title} as CSV",
  "dashboards.incomplete": "Not all of the data was read. Choose a shorter time range or a filter.",
  "dashboards.noData": "There is no data in this time range.",
  "dashboards.unknown": "No dashboard has the id {id}",
  "dashboards.noCharts": "This dashboard has no charts yet",
  "dashboards.noChartsHint":
    "Its source lists them under charts; the preview beside the source shows each change.",
  "dashboards.duplicate": "Duplicate",
  "dashboards.delete": "Delete the dashboard",
  "dashboards.confirmDelete": "The dashboard {title} is deleted for good. Executions and flows are kept.",
  "dashboards.deleted": "Deleted: {title}",
  "dashboards.builtIn": "It is built in. Duplicate it to change it.",
  "dashboards.saved": "The dashboard is saved",
  "dashboards.changed": "The dashboard was changed meanwhile",
  "dashboards.changedText":
    "Someone else has saved this dashboard since you opened it. Saving replaces that version by yours.",
  "dashboards.replace": "Replace it",
} as const;

/** Texts of another language. */
export type DashboardTexts = Readonly<Record<keyof typeof DASHBOARDS_EN, string>>;
