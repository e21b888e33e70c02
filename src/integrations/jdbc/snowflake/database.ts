/** Snowflake. */
import { dynamicText, type PropertySchemas } from "../../../model/flows/schema.ts";
import type { Database } from "../session.ts";
import { httpDatabase } from "../http/http_server.ts";

/** The database of `jdbc.snowflake`. */
export const SNOWFLAKE: Database = {
  ...httpDatabase({
    prefix: "jdbc.snowflake",
    title: "Snowflake",
    exampleUrl: "jdbc:snowflake://acme-data.snowflakecomputing.com",
    async open(context) {
      const { openSnowflake } = await import("./snowflake_session.ts");
      return await openSnowflake(context);
    },
  }),
  transactions: "plan",
};

/** Properties that only Snowflake has. */
export const SNOWFLAKE_PROPERTIES: PropertySchemas = Object.freeze({
  password: dynamicText("A programmatic access token of the user; Snowflake's SQL API accepts no password."),
  privateKey: dynamicText("Private key of the user, PKCS #8, as PEM or the base64 text in it."),
  privateKeyPassword: dynamicText("Password of the key."),
  token: dynamicText("OAuth token, or a programmatic access token, instead of a key."),
  warehouse: dynamicText("Virtual warehouse."),
  database: dynamicText("Database of names without one."),
  schema: dynamicText("Schema of names without one."),
  role: dynamicText("Role; default is that of the user."),
  queryTag: dynamicText("Tag of the statements in Snowflake's history."),
});
