/** Addresses of databases: how they are read, and that the rules for addresses apply to them. */
import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { readDatabaseUrl } from "../../../src/integrations/jdbc/database_url.ts";
import { DatabaseFlows } from "../../support/flows/database_flows.ts";
import { Harness } from "../../support/harness.ts";

const KIND = { kinds: ["postgresql", "postgres"], port: 5432 };

/** An address, and host, port, database, user and password. */
const URLS: readonly (readonly [url: string, parts: readonly (string | number)[]])[] = [
  ["jdbc:postgresql://db:5433/shop", ["db", 5433, "shop", "", ""]],
  ["jdbc:postgresql://db/shop?sslmode=require", ["db", 5432, "shop", "", ""]],
  ["postgres://anna:p%40ss@db.example.com:80/a%20b", ["db.example.com", 80, "a b", "anna", "p@ss"]],
  ["jdbc:postgresql://[::1]:5432/", ["::1", 5432, "", "", ""]],
  ["jdbc:postgresql://db?user=anna&password=secret", ["db", 5432, "", "anna", "secret"]],
];

for (const [url, parts] of URLS) {
  Deno.test(`readDatabaseUrl() of ${url}`, () => {
    const { host, port, database, username, password } = readDatabaseUrl(url, KIND);
    assertEquals([host, port, database, username, password], parts);
  });
}

for (
  const url of [
    "",
    "db:5432",
    "jdbc:mysql://anna:word@db/shop",
    "jdbc:postgresql:shop",
    "jdbc:postgresql://:0/",
  ]
) {
  Deno.test(`readDatabaseUrl() refuses ${JSON.stringify(url)} without showing it`, () => {
    const error = assertThrows(
      () => readDatabaseUrl(url, KIND),
      Error,
      "Invalid url: it must be like jdbc:postgresql://",
    );
    assertEquals(error.message.includes("word"), false);
  });
}

for (const kind of ["postgresql", "mysql"]) {
  Deno.test(`a query of jdbc.${kind} does not reach an address that the rules deny`, async () => {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    await using app = await Harness.start({ httpAddresses: { deny: ["loopback"] } });
    const flows = new DatabaseFlows(app, { kind, port: listener.addr.port, database: "shop" });
    for (const host of ["127.0.0.1", "localhost"]) {
      const { errors } = await flows.run({
        q: { type: "Query", sql: "SELECT 1", ...flows.connection(host) },
      });
      assertMatch(
        errors[0] ?? "",
        new RegExp(`^Cannot connect to "${host}:PORT": the address .* may not be reached`),
      );
    }
  });
}
