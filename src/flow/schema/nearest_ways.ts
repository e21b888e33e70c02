/** What to use here instead of single types of other servers: closer than the way of their integration. */

const DRIVER = (driver: string) => `use the driver ${driver} in a scripts.python.Script task`;
const SMB = "run smbclient in a scripts.shell.Commands task";
const VECTORS = "use ai.embeddings.PGVector or ai.embeddings.KestraKVStore";
const S3_FILES = "run aws s3files in an aws.cli.AwsCLI task";

/** Names of types, or their beginnings with a dot at the end; each way continues "until then" or "instead". */
export const NEAREST_WAYS: ReadonlyMap<string, string> = new Map([
  ["jdbc.oracle.", DRIVER("oracledb")],
  ["jdbc.vertica.", DRIVER("vertica-python")],
  ["jdbc.hana.", DRIVER("hdbcli")],
  ["jdbc.sybase.", "use pyodbc with the driver of FreeTDS in a scripts.python.Script task"],
  ["jdbc.db2.", DRIVER("ibm_db")],
  ["jdbc.as400.", "use pyodbc with the driver of IBM i Access in a scripts.python.Script task"],
  ["jdbc.arrowflight.", DRIVER("adbc-driver-flightsql")],
  ["jdbc.actianvector.", "use pyodbc with the driver of Actian in a scripts.python.Script task"],
  ["jdbc.access.", "run mdb-export of mdbtools in a scripts.shell.Commands task"],
  ["jdbc.io.kestra.plugin.jdbc.postgres.Query", "use jdbc.postgresql.Query"],
  ["gcp.gcs.Ls", "use gcp.gcs.List"],
  ["gcp.bigquery.StorageWrite", "use gcp.bigquery.Load"],
  ["notifications.mail.Email", "use notifications.mail.MailSend with htmlTextContent"],
  ["ai.llm.ChatCompletion", "use ai.completion.ChatCompletion"],
  ["ai.Agent", "use ai.agent.AIAgent"],
  ["ai.agent.A2AClient", "call the agent with core.http.Request"],
  ["ai.embeddings.", VECTORS],
  ["fs.s3.Upload", "use aws.s3.Upload"],
  ["fs.smb.", SMB],
  ["dbt.tasks.DbtRun", "use dbt.cli.Run"],
  ["aws.s3.files.", S3_FILES],
]);

/** The way for a canonical name; `undefined` if that of its integration is the nearest. */
export function nearestWay(name: string): string | undefined {
  const exact = NEAREST_WAYS.get(name);
  if (exact !== undefined) return exact;
  for (const [start, way] of NEAREST_WAYS) if (start.endsWith(".") && name.startsWith(start)) return way;
  return undefined;
}
