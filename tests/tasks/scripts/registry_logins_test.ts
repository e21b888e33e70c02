import { assertEquals, assertThrows } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { configLogins, credentialLogins } from "../../../src/tasks/scripts/registry_logins.ts";

const HUB = "https://index.docker.io/v1/";

/** Credentials with the image of the task, and the registry that they are for. */
const REGISTRIES: readonly (readonly [image: string, registry: string | undefined, name: string])[] = [
  ["ubuntu", undefined, HUB],
  ["library/ubuntu:24.04", undefined, HUB],
  ["docker.io/library/ubuntu", undefined, HUB],
  ["ghcr.io/owner/image:1", undefined, "ghcr.io"],
  ["localhost/image", undefined, "localhost"],
  ["registry.example.org:5000/image", undefined, "registry.example.org:5000"],
  ["ghcr.io/owner/image", "registry.example.org", "registry.example.org"],
  ["ubuntu", "https://registry.example.org/v2/", "registry.example.org"],
  ["ubuntu", "https://index.docker.io/v1/", HUB],
  ["ubuntu", "registry-1.docker.io", HUB],
];

for (const [image, registry, name] of REGISTRIES) {
  Deno.test(`credentialLogins() of ${image} with the registry ${registry} are for ${name}`, () => {
    const credentials: JsonObject = { username: "me", ...registry !== undefined && { registry } };
    assertEquals([...credentialLogins(credentials, image)?.keys() ?? []], [name]);
  });
}

Deno.test("credentialLogins() encodes user and password, and passes tokens on", () => {
  const of = (credentials: JsonObject) => credentialLogins(credentials, "ubuntu")?.get(HUB);
  assertEquals(of({ username: "mé", password: "p:w" })?.auth, "bcOpOnA6dw==");
  assertEquals(of({ auth: "eDp5", username: "other" })?.auth, "eDp5");
  assertEquals(of({ registryToken: "a", identityToken: "b" }), {
    auth: undefined,
    registrytoken: "a",
    identitytoken: "b",
  });
});

Deno.test("configLogins() reads the logins of a configuration file, and nothing that starts a program", () => {
  const auths = {
    "https://index.docker.io/v1/": { username: "a", password: "b" },
    "ghcr.io": { auth: "eDp5" },
  };
  const logins = configLogins({ auths });
  assertEquals([logins?.get(HUB)?.auth, logins?.get("ghcr.io")?.auth], ["YTpi", "eDp5"]);
  for (const name of ["credsStore", "credHelpers", "plugins"]) {
    assertThrows(() => configLogins({ auths, [name]: "x" }), Error, `only "auths" is read; remove "${name}"`);
  }
});
