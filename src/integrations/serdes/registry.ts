/** The task types that convert files between formats. */
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import { avroToIon, inferAvroSchema, ionToAvro } from "./avro/avro_conversions.ts";
import { csvToIon } from "./csv/csv_to_ion.ts";
import { excelToIon } from "./excel/excel_to_ion.ts";
import { ionToCsv } from "./csv/ion_to_csv.ts";
import { ionToExcel } from "./excel/ion_to_excel.ts";
import { ionToJson } from "./json/ion_to_json.ts";
import { jsonToIon } from "./json/json_to_ion.ts";
import { jsonToJsonl } from "./json/json_to_jsonl.ts";
import { htmlToMarkdown, markdownToHtml, markdownToText } from "./markdown/markdown_conversions.ts";
import { ionToXml } from "./ion_to_xml.ts";
import { ionToParquet, parquetToIon } from "./parquet/parquet_conversions.ts";
import { protobufToIon } from "./protobuf/protobuf_to_ion.ts";
import { jsonToToon, toonToJson } from "./toon_conversions.ts";
import { xmlToIon } from "./xml_to_ion.ts";
import { ionToYaml, jsonToYaml, yamlToIon, yamlToJson } from "./yaml_conversions.ts";

/** Types below `serdes.`. */
export const SERDES_TASKS: readonly TaskDefinition[] = Object.freeze([
  avroToIon,
  inferAvroSchema,
  ionToAvro,
  ionToParquet,
  parquetToIon,
  csvToIon,
  excelToIon,
  ionToCsv,
  ionToExcel,
  ionToJson,
  jsonToIon,
  jsonToJsonl,
  htmlToMarkdown,
  markdownToHtml,
  markdownToText,
  ionToXml,
  xmlToIon,
  ionToYaml,
  jsonToYaml,
  yamlToIon,
  yamlToJson,
  protobufToIon,
  jsonToToon,
  toonToJson,
]);
