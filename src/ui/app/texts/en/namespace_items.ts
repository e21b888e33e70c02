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
  "items.secretsHint":
    "A secret is a value that the server encrypts, and hides in logs. Flows read it by its name:",
  "items.environmentSecrets":
    "Secrets from the environment of the server (variables SECRET_…) belong to all namespaces. They are read only here: change them where the server is started.",
  "items.inheritedFrom": "From {namespace}",
  "items.inheritedServer": "From the server",
} as const;
