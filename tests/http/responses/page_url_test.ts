import { assertEquals } from "@std/assert";
import { Harness, type HarnessOptions } from "../../support/harness.ts";
import { flowSource } from "../../api/refusals.ts";
import { triggeredFlow } from "../../support/flows/triggers.ts";

const LOGIN = { authorization: `Basic ${btoa("anna:right")}` };
const PROTECTED = { credentials: { user: "anna", password: "right" }, noAuthExplicit: false };

/** A server, the host of a request, and how its links begin. */
const LINKS: readonly (readonly [what: string, options: HarnessOptions, host: string, start: string])[] = [
  ["with a login", PROTECTED, "evil.example", ""],
  ["with a login", PROTECTED, "localhost.evil.example", ""],
  ["with a login", PROTECTED, "127.0.0.1:8080", "http://127.0.0.1:8080"],
  ["with a login", PROTECTED, "LOCALHOST", "http://localhost"],
  [
    "with a login that listens on 10.0.0.5",
    { ...PROTECTED, host: "10.0.0.5" },
    "10.0.0.5:8080",
    "http://10.0.0.5:8080",
  ],
  ["with a login that listens on 10.0.0.5", { ...PROTECTED, host: "10.0.0.5" }, "10.0.0.6:8080", ""],
  [
    "with a base URL",
    { ...PROTECTED, baseUrl: "https://s.example/x" },
    "evil.example",
    "https://s.example/x",
  ],
  ["opened on purpose", { host: "0.0.0.0" }, "machine.lan:8080", "http://machine.lan:8080"],
];

for (const [what, options, host, start] of LINKS) {
  Deno.test(`links of a server ${what} to a request for ${host} begin with "${start}"`, async () => {
    await using app = await Harness.start(options);
    const send = async (path: string, body?: string) => {
      const headers = { ...LOGIN, ...(body && { "content-type": "application/x-yaml" }) };
      const request = new Request(`http://${host}/api/v1/main${path}`, { method: "POST", headers, body });
      return await (await app.assembly.fetch(request)).json();
    };
    await send("/flows", flowSource());
    await send("/flows", triggeredFlow("w", { type: "io.kestra.plugin.core.trigger.Webhook", key: "key" }));
    const started = await send("/executions/demo/hello");
    assertEquals(started.url, `${start}/ui/executions/demo/hello/${started.id}`);
    const called = await send("/executions/webhook/demo/w/key");
    assertEquals(called.url, `${start}/ui/executions/demo/w/${called.id}`);
  });
}
