/** The address of a repository, without its credentials. */
import type { JsonObject } from "../../base/json.ts";
import { optionalText } from "../../model/tasks/task_definition.ts";

/** A repository of another server. */
export interface Remote {
  /** Without credentials, as git writes it. */
  readonly url: string;
  /** With its port if that is not the usual one. */
  readonly host: string;
  /** The page of the repository, as most servers have it. */
  readonly page: string;
  /** Of HTTP. */
  readonly credentials?: { readonly username: string; readonly password: string };
  /** Where and how it is reached by SSH instead of HTTP. */
  readonly ssh?: SshPlace;
}

/** A repository on a server of SSH. */
export interface SshPlace {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly user: {
    readonly username: string;
    readonly password?: string;
    readonly privateKey?: string;
    readonly passphrase?: string;
  };
  /** Of the key of the server. */
  readonly fingerprint?: string;
}

const SSH_PORT = 22;
/** `user@host:path`. */
const SHORT_ADDRESS = /^([^\s/@:]+)@(\[[^\s/@\]]+\]|[^\s/@:[]+):(.+)$/;

/** Reads the properties of the repository. @throws Error no address that can be reached; the message has nothing of it */
export function remoteOf(properties: JsonObject): Remote {
  const text = String(properties.url);
  const [, username, host, path] = SHORT_ADDRESS.exec(text) ?? [];
  if (username !== undefined && host !== undefined && path !== undefined) {
    return sshRemote({ url: text, username, host, port: SSH_PORT, path }, properties);
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return httpRemote(url, properties);
  if (url?.protocol === "ssh:" && url.hostname !== "") return longSshRemote(url, properties);
  throw unreachable(
    "url must begin with https:// or http://, with a token as password, or with ssh://, or be user@host:path",
  );
}

function httpRemote(url: URL, { username, password }: JsonObject): Remote {
  const name = optionalText(username) ?? decodeURIComponent(url.username);
  const secret = optionalText(password) ?? decodeURIComponent(url.password);
  url.username = "";
  url.password = "";
  const isAnonymous = name === "" && secret === "";
  return {
    url: url.href,
    host: url.host,
    page: pageOf(url.href),
    // Servers that take a token as password accept any name.
    ...!isAnonymous && { credentials: { username: name || "git", password: secret } },
  };
}

function longSshRemote(url: URL, properties: JsonObject): Remote {
  const username = decodeURIComponent(url.username);
  const password = optionalText(properties.password) ?? optionalText(decodeURIComponent(url.password));
  url.password = "";
  const { href, hostname: host } = url;
  const path = decodeURIComponent(url.pathname).replace(/^\/~/, "~");
  const port = Number(url.port) || SSH_PORT;
  return sshRemote({ url: href, username, host, port, path }, { ...properties, password: password ?? null });
}

/** The user of the address goes first: servers of git have one for all, and `username` is also the author of commits. */
function sshRemote(
  { url, username, host, port, path }: {
    readonly url: string;
    readonly username: string;
    readonly host: string;
    readonly port: number;
    readonly path: string;
  },
  properties: JsonObject,
): Remote {
  // deno-lint-ignore no-control-regex
  if (!/^[^-\0-\x1f\x7f][^\0-\x1f\x7f]*$/.test(path) || path === "/") {
    throw unreachable('the path must not be empty, begin with "-" or have control characters');
  }
  const privateKey = optionalText(properties.privateKey);
  const secret = privateKey === undefined
    ? { password: optionalText(properties.password) }
    : { privateKey, passphrase: optionalText(properties.passphrase) };
  if (privateKey === undefined && secret.password === undefined) {
    throw unreachable("ssh needs privateKey, or password");
  }
  return {
    url,
    host: port === SSH_PORT ? host : `${host}:${port}`,
    page: pageOf(`https://${host}/${path.replace(/^\/+/, "")}`),
    ssh: {
      host: host.replace(/^\[(.*)\]$/, "$1"),
      port,
      path,
      user: { username: username || optionalText(properties.username) || "git", ...secret },
      fingerprint: optionalText(properties.hostKeyFingerprint),
    },
  };
}

function pageOf(url: string): string {
  return url.replace(/\.git$/, "");
}

function unreachable(reason: string): Error {
  return new Error(`Cannot reach the repository: ${reason}`);
}
