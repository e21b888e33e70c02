import { assertEquals } from "@std/assert";
import { createHash } from "node:crypto";
import type { JsonObject } from "../../../../src/base/json.ts";
import { hashText } from "../../../../src/services/starts/content_hash.ts";
import { decodeJson } from "../../../../src/store/codec.ts";
import { idempotencyKey } from "../../../../src/store/keys.ts";
import { Harness } from "../../../support/harness.ts";
import { triggeredFlow } from "../../../support/flows/triggers.ts";

const FILE = hashOf("text");

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

function form(): FormData {
  const data = new FormData();
  data.set("field", new File(["text"], "a b.txt", { type: "text/plain" }));
  return data;
}

const PART = '{"name":"field","fileName":"a b.txt","contentType":"text/plain","size":4,"uri":null}';

/** Properties of the webhook, path, body, and what a record of the call has had since the first version: body and file. */
const CALLS: readonly [JsonObject, string, BodyInit, string, string[]][] = [
  [{ path: "a/b" }, "/a/b", "[1]", '{"body":[1],"formFields":null,"parts":[]}', []],
  [{ fetchType: "STORE" }, "", "text", '{"body":null,"formFields":null,"parts":[]}', ["body", "body", FILE]],
  [{}, "", form(), `{"body":null,"formFields":{},"parts":[${PART}]}`, ["0", "a_b.txt", FILE]],
];

for (const [properties, path, body, content, file] of CALLS) {
  const shown = JSON.stringify(properties);
  Deno.test(`POST /executions/webhook/… with ${shown} is known by the record of an earlier version`, async () => {
    await using app = await Harness.start();
    const trigger = { type: "io.kestra.plugin.core.trigger.Webhook", key: "key", ...properties };
    await app.save(triggeredFlow("w", trigger));
    const headers = { "idempotency-key": "k" };
    const response = await app.request("POST", `/executions/webhook/demo/w/key${path}`, { body, headers });
    assertEquals(response.status, 200, await response.text());
    const key = idempotencyKey("main", hashText(["webhook", "demo", "w", "key", "k"], "hex"));
    const stored = await app.store.get(key);
    const [, request, contents] = decodeJson(stored?.value ?? new Uint8Array()) as unknown[];
    assertEquals([request, contents], [
      hashText(["POST", "demo", "w", path.slice(1), ""]),
      hashText(["2", "body", content, ...file]),
    ]);
  });
}
