/** Credentials of registries of images, from `config` and `credentials` of a task runner. Their values are in no message. */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import type { RegistryLogin } from "../../model/ports/containers.ts";
import { textOf } from "../property_values.ts";

type Logins = ReadonlyMap<string, RegistryLogin>;

/** The name of Docker Hub in configuration files. */
const DOCKER_HUB = "https://index.docker.io/v1/";
const DOCKER_HUB_HOSTS: ReadonlySet<string> = new Set([
  "docker.io",
  "index.docker.io",
  "registry-1.docker.io",
  "registry.hub.docker.com",
]);
const REGISTRY = /^[A-Za-z0-9][A-Za-z0-9.-]*(?::\d{1,5})?(?:\/[\w./-]*)?$/;

/** The logins of a Docker configuration file. Other members could start programs of the server. @throws Error other members */
export function configLogins(config: JsonObject | undefined): Logins | undefined {
  if (config === undefined) return undefined;
  const other = Object.keys(config).find((name) => name !== "auths");
  if (other !== undefined) {
    throw new Error(`Invalid config: only "auths" is read; remove "${other.slice(0, 100)}"`);
  }
  const auths = ownProperty(config, "auths");
  const entries = Object.entries(isJsonObject(auths) ? auths : {});
  return new Map(entries.map(([registry, login]) => [registryName(registry), loginOf(login, OF_CONFIG)]));
}

/** The login of `credentials`, for their registry or that of the image. */
export function credentialLogins(credentials: JsonObject | undefined, image: string): Logins | undefined {
  if (credentials === undefined) return undefined;
  const registry = textOf(credentials, "registry") ?? registryOf(image);
  return new Map([[registryName(registry), loginOf(credentials, OF_CREDENTIALS)]]);
}

interface TokenNames {
  readonly identity: string;
  readonly registry: string;
}

const OF_CONFIG: TokenNames = { identity: "identitytoken", registry: "registrytoken" };
const OF_CREDENTIALS: TokenNames = { identity: "identityToken", registry: "registryToken" };

function loginOf(value: JsonValue, names: TokenNames): RegistryLogin {
  const login = isJsonObject(value) ? value : {};
  const username = textOf(login, "username"), password = textOf(login, "password");
  return {
    auth: textOf(login, "auth") ??
      (username === undefined ? undefined : base64(`${username}:${password ?? ""}`)),
    identitytoken: textOf(login, names.identity),
    registrytoken: textOf(login, names.registry),
  };
}

function base64(text: string): string {
  return new TextEncoder().encode(text).toBase64();
}

/** The name under which runtimes look for a registry. @throws Error not an address */
function registryName(given: string): string {
  const address = given.trim().replace(/^https?:\/\//, "").replace(/(?<!\/)\/+$/, "").replace(/\/v2$/, "");
  if (!REGISTRY.test(address)) {
    throw new Error(
      'Invalid registry: it must be an address such as "ghcr.io" or "registry.example.org:5000"',
    );
  }
  const [host = ""] = address.split("/");
  return DOCKER_HUB_HOSTS.has(host) ? DOCKER_HUB : address;
}

/** The first part of an image is its registry if it looks like a host. */
function registryOf(image: string): string {
  const [first = "", ...path] = image.split("/");
  return path.length > 0 && /[.:]|^localhost$/.test(first) ? first : DOCKER_HUB;
}
