/** ClickHouse, Dremio, Druid, Pinot and Trino. */
import { httpDatabase } from "./http_server.ts";

/** The database of `jdbc.clickhouse`. */
export const CLICKHOUSE = httpDatabase({
  prefix: "jdbc.clickhouse",
  title: "ClickHouse",
  exampleUrl: "jdbc:clickhouse://db.example.com:8123/shop",
  async open(context) {
    const { openClickhouse } = await import("./clickhouse_session.ts");
    return await openClickhouse(context);
  },
});

/** The database of `jdbc.dremio`. */
export const DREMIO = httpDatabase({
  prefix: "jdbc.dremio",
  title: "Dremio",
  exampleUrl: "jdbc:dremio:direct=db.example.com:31010;ssl=true",
  async open(context) {
    const { openDremio } = await import("./dremio_session.ts");
    return await openDremio(context);
  },
});

/** The database of `jdbc.druid`. */
export const DRUID = httpDatabase({
  prefix: "jdbc.druid",
  title: "Druid",
  exampleUrl: "jdbc:avatica:remote:url=http://db.example.com:8888/druid/v2/sql/avatica/",
  async open(context) {
    const { openDruid } = await import("./druid_session.ts");
    return await openDruid(context);
  },
});

/** The database of `jdbc.pinot`. */
export const PINOT = httpDatabase({
  prefix: "jdbc.pinot",
  title: "Pinot",
  exampleUrl: "jdbc:pinot://db.example.com:9000",
  async open(context) {
    const { openPinot } = await import("./pinot_session.ts");
    return await openPinot(context);
  },
});

/** The database of `jdbc.trino`. */
export const TRINO = httpDatabase({
  prefix: "jdbc.trino",
  title: "Trino",
  exampleUrl: "jdbc:trino://db.example.com:443/hive/sales?SSL=true",
  async open(context) {
    const { openTrino } = await import("./trino_session.ts");
    return await openTrino(context);
  },
});
