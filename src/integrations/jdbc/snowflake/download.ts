/** `jdbc.snowflake.Download`. */
import { dynamicFlag, dynamicText } from "../../../model/flows/schema.ts";
import { defineMachineTask } from "../../../model/tasks/machine_task.ts";
import { CONNECTION_PROPERTIES } from "../properties.ts";
import { SNOWFLAKE_PROPERTIES } from "./database.ts";

/** Stores a file of a stage. */
export const snowflakeDownload = defineMachineTask({
  type: "jdbc.snowflake.Download",
  title: "Download a file of a Snowflake stage",
  description:
    "Stores a file of an internal stage. Files of stages that are encrypted by clients cannot be read: create the stage with " +
    "`ENCRYPTION = (TYPE = 'SNOWFLAKE_SSE')`.",
  properties: {
    ...CONNECTION_PROPERTIES,
    ...SNOWFLAKE_PROPERTIES,
    stageName: dynamicText("Name of the stage, such as `my_stage`, `~` or `%my_table`.", { required: true }),
    fileName: dynamicText("Path of the file in the stage.", { required: true }),
    compress: dynamicFlag(true, "Whether a file whose name ends with .gz is decompressed."),
  },
  outputs: { uri: { type: "string", description: "URI of the file." } },
  examples: [{
    title: "Download a file",
    yaml: `id: download
type: io.svc.plugin.jdbc.snowflake.Download
url: jdbc:snowflake://acme-data.snowflakecomputing.com
username: flows
privateKey: "{{ secret('SNOWFLAKE_KEY') }}"
database: SALES
schema: PUBLIC
stageName: exports
fileName: orders.csv`,
  }],
  async run(context) {
    const { downloadStaged } = await import("./staged_file.ts");
    return { uri: await context.storeFile(await downloadStaged(context)) };
  },
});
