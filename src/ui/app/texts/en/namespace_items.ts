/** English: texts of KV pairs, secrets, variables and defaults of namespaces. */

/** All of them. */
export const ITEMS_EN = {
  "items.use": "Use",
  "items.lastUsed": "Last used",
  "items.readable": "Readable by flows of this namespace",
  "items.hidden": "Hidden by one of the same name nearer to this namespace",
  "items.deleteSelected": "Delete selected",
  "items.kvHint": "Flows store and share values in KV pairs, and read them by their key:",
  "items.kvConfirmAll": "{count} KV pairs and their values are deleted. Flows that read them fail.",
  "items.kvDeletedAll": "{count} of {total} KV pairs deleted",
  "items.kvExists": "KV pair {key} exists already. Change it in the list, or choose another key.",
  "items.secretsHint":
    "A secret is a value that the server encrypts, and hides in logs. Flows read it by its name:",
  "items.secretExists": "Secret {key} exists already. Replace it in the list, or choose another name.",
  "items.environmentSecrets":
    "Secrets from the environment of the server (variables SECRET_…) belong to all namespaces. They are read only here: change them where the server is started.",
  "items.inheritedFrom": "From {namespace}",
  "items.inheritedServer": "From the server",
  "items.rename": "Rename…",
  "items.renameTitle": "Rename namespace {namespace}",
  "items.renameNow": "Rename",
  "items.renamed": "Namespace {namespace} renamed",
  "items.renameHint":
    "Flows, triggers, KV pairs, secrets and files move with their history. Executions so far stay under the old name.",
  "items.renameBelow": "Also rename those below it: {names}",
  "items.renameForce": "Rename it all the same. These places must be changed by hand.",
  "items.references": "Places that refer to it: {count}",
  "items.unfinished": "Executions that have not ended: {count}. Wait for them or kill them first.",
  "items.webhooks": "The addresses of the webhooks of these flows change: {flows}",
} as const;
