/** `jdbc.snowflake.Upload`. */
import { dynamicFlag, dynamicText } from "../../../model/flows/schema.ts";
import { defineTask } from "../../../model/tasks/task_definition.ts";
import { CONNECTION_PROPERTIES } from "../properties.ts";
import { SNOWFLAKE_PROPERTIES } from "./database.ts";

/** Sends a file to a stage, where it replaces one of the same name. */
export const snowflakeUpload = defineTask({
  type: "jdbc.snowflake.Upload",
  title: "Upload a file to a Snowflake stage",
  description: "Sends a stored file to an internal stage. A file of the same name is replaced.",
  properties: {
    ...CONNECTION_PROPERTIES,
    ...SNOWFLAKE_PROPERTIES,
    password: dynamicText("Password of the user, or a programmatic access token."),
    from: dynamicText("Storage URI of the file.", { required: true }),
    stageName: dynamicText("Name of the stage, such as `my_stage`, `~` or `%my_table`.", { required: true }),
    prefix: dynamicText("Folder in the stage."),
    fileName: dynamicText("Name of the file in the stage.", { required: true }),
    compress: dynamicFlag(true, "Whether the file is compressed by GZIP, which adds .gz to its name."),
  },
  outputs: { uri: { type: "string", description: "Path of the file in the stage." } },
  examples: [{
    title: "Upload a file",
    yaml: `id: upload
type: io.svc.plugin.jdbc.snowflake.Upload
url: jdbc:snowflake://acme-data.snowflakecomputing.com
username: flows
privateKey: "{{ secret('SNOWFLAKE_KEY') }}"
database: SALES
schema: PUBLIC
stageName: imports
prefix: raw
fileName: orders.csv
from: "{{ outputs.extract.uri }}"`,
  }],
  async run(context) {
    const { uploadToStage } = await import("./upload_file.ts");
    return { uri: await uploadToStage(context) };
  },
});
