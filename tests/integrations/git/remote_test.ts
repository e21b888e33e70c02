/** The addresses of repositories. */
import { assertEquals, assertThrows } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { remoteOf } from "../../../src/integrations/git/remote.ts";

/** An address by SSH, and what is read from it. */
const ADDRESSES: readonly (readonly [url: string, read: string])[] = [
  ["git@github.com:acme/flows.git", "git github.com 22 acme/flows.git"],
  ["git@github.com:/srv/a b.git", "git github.com 22 /srv/a b.git"],
  ["git@[::1]:flows.git", "git ::1 22 flows.git"],
  ["ssh://git@github.com/acme/flows.git", "git github.com 22 /acme/flows.git"],
  ["ssh://git@example.com:2222/acme/flows", "git example.com 2222 /acme/flows"],
  ["ssh://example.com/~ada/a%20b.git", "robot example.com 22 ~ada/a b.git"],
  ["ssh://git@[::1]:2222/flows", "git ::1 2222 /flows"],
];

Deno.test("remoteOf() reads addresses of SSH as git does", () => {
  for (const [url, read] of ADDRESSES) {
    const { ssh, credentials } = remoteOf({ url, username: "robot", privateKey: "key", password: "token" });
    assertEquals([url, `${ssh?.user.username} ${ssh?.host} ${ssh?.port} ${ssh?.path}`], [url, read]);
    // With a key the password is not sent.
    assertEquals([ssh?.user.privateKey, ssh?.user.password, credentials], ["key", undefined, undefined]);
  }
});

Deno.test("remoteOf() keeps credentials out of what is stored and shown", () => {
  const { url, host, page, ssh } = remoteOf({ url: "ssh://git:hidden@example.com:2222/acme/flows.git" });
  assertEquals([url, host, page, ssh?.user.password], [
    "ssh://git@example.com:2222/acme/flows.git",
    "example.com:2222",
    "https://example.com/acme/flows",
    "hidden",
  ]);
  const web = remoteOf({ url: "https://git:hidden@example.com/acme/flows.git", privateKey: "key" });
  assertEquals([web.url, web.page, web.ssh], [
    "https://example.com/acme/flows.git",
    "https://example.com/acme/flows",
    undefined,
  ]);
});

/** Properties that name no repository that can be reached. */
const INVALID: readonly JsonObject[] = [
  { url: "" },
  { url: "/srv/hidden.git" },
  { url: "file:///hidden.git" },
  { url: "hidden.example.com:flows.git" },
  { url: "ssh:///hidden.git", privateKey: "key" },
  { url: "ssh://git@hidden.example.com", privateKey: "key" },
  { url: "ssh://git@hidden.example.com/", privateKey: "key" },
  { url: "git@example.com:--upload-pack=hidden", privateKey: "key" },
  { url: "ssh://git@hidden.example.com/a%0Ab", privateKey: "key" },
  { url: "git@hidden.example.com:flows.git" },
];

Deno.test("remoteOf() refuses what it cannot reach, without a word of the address", () => {
  for (const properties of INVALID) {
    const { message } = assertThrows(() => remoteOf(properties), Error, "Cannot reach the repository: ");
    assertEquals(message.includes("hidden"), false);
  }
});
