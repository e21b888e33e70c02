/** The address of a repository, without its credentials. */
import type { JsonObject } from "../../base/json.ts";
import { optionalText } from "../../model/tasks/task_definition.ts";

/** A repository of another server. */
export interface Remote {
  /** Without credentials. */
  readonly url: string;
  readonly host: string;
  readonly credentials?: { readonly username: string; readonly password: string };
}

/** Reads `url`, `username` and `password`. @throws Error no HTTP address; the message has nothing of it */
export function remoteOf({ url, username, password }: JsonObject): Remote {
  const text = String(url);
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  if (!parsed || !/^https?:$/.test(parsed.protocol)) {
    throw new Error(
      "Cannot reach the repository: url must begin with https:// or http://, with a token as password",
    );
  }
  const name = optionalText(username) ?? decodeURIComponent(parsed.username);
  const secret = optionalText(password) ?? decodeURIComponent(parsed.password);
  parsed.username = "";
  parsed.password = "";
  const isAnonymous = name === "" && secret === "";
  return {
    url: parsed.href,
    host: parsed.host,
    // Servers that take a token as password accept any name.
    ...!isAnonymous && { credentials: { username: name || "git", password: secret } },
  };
}
