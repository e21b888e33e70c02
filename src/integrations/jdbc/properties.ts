/** Properties and outputs that the types of databases share. */
import {
  dynamicChoice,
  dynamicFlag,
  dynamicProperty,
  dynamicText,
  type PropertySchemas,
} from "../../model/flows/schema.ts";

/** How to reach the database. */
export const CONNECTION_PROPERTIES: PropertySchemas = Object.freeze({
  url: dynamicText("Address of the database, such as `jdbc:postgresql://host:5432/database`.", {
    required: true,
  }),
  username: dynamicText("Name of the user."),
  password: dynamicText("Password of the user."),
  timeZoneId: dynamicText("Time zone in which times with a zone are given, such as `Europe/Paris`."),
});

/** TLS of PostgreSQL. */
export const TLS_PROPERTIES: PropertySchemas = Object.freeze({
  ssl: dynamicFlag(false, "Whether the connection must use TLS."),
  sslMode: dynamicText(
    "DISABLE, ALLOW, PREFER, REQUIRE, VERIFY_CA or VERIFY_FULL; default is PREFER, and REQUIRE with `ssl`.",
  ),
  sslRootCert: dynamicText("Certificate of the authority, PEM."),
  sslCert: dynamicText("Certificate of the client, PEM."),
  sslKey: dynamicText("Key of the client, PEM."),
  sslKeyPassword: dynamicText("Password of the key."),
});

/** What becomes of rows. */
const FETCH_PROPERTIES: PropertySchemas = Object.freeze({
  fetchType: dynamicChoice(
    ["NONE", "FETCH", "FETCH_ONE", "STORE"],
    "NONE",
    "FETCH: all rows as the output `rows`; FETCH_ONE: the first one as `row`; STORE: a file with a row in Ion a line.",
  ),
  fetch: dynamicFlag(false, "As `fetchType: FETCH`.", { deprecated: "`fetchType`" }),
  fetchOne: dynamicFlag(false, "As `fetchType: FETCH_ONE`.", { deprecated: "`fetchType`" }),
  store: dynamicFlag(false, "As `fetchType: STORE`.", { deprecated: "`fetchType`" }),
  fetchSize: dynamicProperty("integer", "Without effect: rows are read as a stream."),
});

/** Properties of Query and Queries. */
export const QUERY_PROPERTIES: PropertySchemas = Object.freeze({
  sql: dynamicText("SQL; statements are separated by semicolons.", { required: true }),
  parameters: dynamicProperty(
    "map",
    "Values that `:name` in the SQL stands for; the server receives them apart from it.",
  ),
  afterSQL: dynamicText("SQL that runs afterwards in the same transaction."),
  ...FETCH_PROPERTIES,
});

/** Outputs of one statement. */
export const FETCH_OUTPUTS: PropertySchemas = Object.freeze({
  row: { type: "map", description: "The first row, with FETCH_ONE." },
  rows: { type: "list", description: "All rows, with FETCH." },
  uri: { type: "string", description: "URI of the file of rows, with STORE." },
  size: { type: "integer", description: "Number of rows." },
});
