/** Properties that the types of git share. */
import {
  dynamicFlag,
  dynamicProperty,
  dynamicText,
  type PropertySchema,
  type PropertySchemas,
} from "../../model/flows/schema.ts";
import { HOST_KEY_PROPERTY } from "../fs/connection.ts";

/** Where the repository is, and who reads it. */
export const REPOSITORY_PROPERTIES: PropertySchemas = Object.freeze({
  url: dynamicText(
    "Address of the repository: `https://…`, `http://…`, `ssh://user@host/path` or `user@host:path`.",
    { required: true },
  ),
  username: dynamicText("Name of the user; by ssh the one of the address goes first."),
  password: dynamicText("Password or token of the user; keep it as a secret."),
  privateKey: dynamicText("Private key for ssh, PEM or OpenSSH; keep it as a secret."),
  passphrase: dynamicText("Passphrase of the key; keep it as a secret."),
  ...HOST_KEY_PROPERTY,
});

/** The branch of types that read flows and files. */
export const BRANCH_PROPERTY: PropertySchemas = Object.freeze({
  branch: dynamicText("Branch.", { default: "main" }),
});

/** Who commits, and with which message. */
export const COMMIT_PROPERTIES: PropertySchemas = Object.freeze({
  commitMessage: dynamicText("Message of the commit; default names what it adds."),
  authorName: dynamicText("Name of the author; default is the user of the repository."),
  authorEmail: dynamicText("Mail address of the author."),
});

/** Whether only the differences are reported. */
export const DRY_RUN_PROPERTY: PropertySchemas = Object.freeze({
  dryRun: dynamicFlag(false, "Reports the differences without a change."),
});

/** How flows of other servers reach their own server, which types here need not. */
export const OWN_SERVER_PROPERTIES: PropertySchemas = Object.freeze({
  kestraUrl: dynamicText("Has no effect: the server of the flow is used.", { ignored: true }),
  auth: dynamicProperty("any", "Has no effect: the task needs no credentials of this server.", {
    ignored: true,
  }),
});

/** The outputs of types that may commit; `name` is the one with the URI of the differences. */
export function commitOutputs(name: string): PropertySchemas {
  const text = (description: string): PropertySchema => ({ type: "string", description });
  return {
    commitId: text("Id of the commit; absent if nothing changed, or in a dry run."),
    commitURL: text("Address of the commit, as most servers have it."),
    [name]: text("Storage URI of the differences, one JSON object a line."),
  };
}
