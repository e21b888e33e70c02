/** Forms of keys and values, and the properties of connections to Kafka. */
import { assertEquals, assertThrows } from "@std/assert";
import { Double, type JsonObject, type JsonValue, stringifyJson } from "../../../src/base/json.ts";
import { ClientProperties, securityOf } from "../../../src/integrations/kafka/connection.ts";
import { deserialized, serialized } from "../../../src/integrations/kafka/serdes.ts";

/** Bytes as the serializers of the Java client give them: big-endian numbers, UTF-8 texts. */
const FORMS: readonly (readonly [form: string, value: JsonValue, hex: string])[] = [
  ["STRING", "é", "c3a9"],
  ["JSON", { a: [1, null] }, "7b2261223a5b312c6e756c6c5d7d"],
  ["INTEGER", -2, "fffffffe"],
  ["SHORT", 258, "0102"],
  ["LONG", 9_007_199_254_740_993n, "0020000000000001"],
  ["FLOAT", new Double(1.5), "3fc00000"],
  ["DOUBLE", new Double(-0.25), "bfd0000000000000"],
  [
    "UUID",
    "123e4567-e89b-12d3-a456-426614174000",
    "31323365343536372d653839622d313264332d613435362d343236363134313734303030",
  ],
];

for (const [form, value, hex] of FORMS) {
  Deno.test(`a value is written and read as ${form}`, () => {
    const bytes = serialized(form, value, "value");
    assertEquals(bytes?.toString("hex"), hex);
    assertEquals(stringifyJson(deserialized(form, bytes, "value")), stringifyJson(value));
  });
}

Deno.test("null has no bytes in any form", () => {
  assertEquals([serialized("LONG", null, "key"), deserialized("LONG", null, "key")], [null, null]);
});

const REFUSED: readonly (readonly [form: string, value: JsonValue])[] = [
  ["INTEGER", 2 ** 31],
  ["INTEGER", "x"],
  ["SHORT", new Double(1.5)],
  ["DOUBLE", "x"],
  ["UUID", "x"],
];

for (const [form, value] of REFUSED) {
  Deno.test(`${value} is refused as ${form}`, () => {
    assertThrows(() => serialized(form, value, "value"), Error, `Cannot write the value as ${form}`);
  });
}

const SECURITY: readonly (readonly [properties: JsonObject, expected: unknown])[] = [
  [{}, {}],
  [{ "security.protocol": "SSL", "ssl.truststore.certificates": "pem" }, { ssl: { ca: "pem" } }],
  [
    {
      "security.protocol": "SASL_PLAINTEXT",
      "sasl.mechanism": "SCRAM-SHA-512",
      "sasl.jaas.config":
        'org.apache.kafka.common.security.scram.ScramLoginModule required username="ann" password="p\\"w";',
    },
    { sasl: { mechanism: "scram-sha-512", username: "ann", password: 'p"w' } },
  ],
];

for (const [properties, expected] of SECURITY) {
  Deno.test(`securityOf() reads ${stringifyJson(properties)}`, () => {
    // Members without a value are left out.
    assertEquals(JSON.parse(JSON.stringify(securityOf(new ClientProperties({ properties })))), expected);
  });
}

const MISTAKES: readonly (readonly [properties: JsonObject, message: string])[] = [
  [{ "security.protocol": "TLS" }, "Invalid security.protocol"],
  [{ "security.protocol": "SSL", "ssl.keystore.location": "AAA=" }, "Java key stores are not supported"],
  [{ "security.protocol": "SASL_SSL", "sasl.mechanism": "GSSAPI" }, "Invalid sasl.mechanism"],
  [{ "security.protocol": "SASL_SSL", "sasl.jaas.config": "x" }, "it must have username and password"],
];

for (const [properties, message] of MISTAKES) {
  Deno.test(`securityOf() refuses ${stringifyJson(properties)}`, () => {
    assertThrows(() => securityOf(new ClientProperties({ properties })), Error, message);
  });
}
