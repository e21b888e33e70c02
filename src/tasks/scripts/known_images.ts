/** What well-known images promise, for tasks that name one and run as a process: the language with its version, and packages. */
import { isJsonObject, type JsonObject, ownProperty } from "../../base/json.ts";
import { textOf } from "../property_values.ts";

/** Content of an image, as far as this server can provide it. */
export interface KnownImage {
  /** As the task names it. */
  readonly name: string;
  readonly language: "python" | "node";
  /** Absent: any. */
  readonly version?: string;
  /** Python packages. */
  readonly packages?: readonly string[];
}

type ImageContent = Pick<KnownImage, "language" | "packages"> & {
  /** Whether the tag begins with the version of the language. */
  readonly isTagged?: boolean;
};

/** By repository, without registry. */
const IMAGES: ReadonlyMap<string, ImageContent> = new Map<string, ImageContent>([
  ["python", { language: "python", isTagged: true }],
  ["astral-sh/uv", { language: "python", isTagged: true }],
  ["cimg/python", { language: "python", isTagged: true }],
  ["node", { language: "node", isTagged: true }],
  ["cimg/node", { language: "node", isTagged: true }],
  ["kestra-io/kestrapy", { language: "python", packages: ["kestra", "amazon.ion"] }],
  ["kestra-io/pydata", {
    language: "python",
    packages: ["kestra", "pandas", "requests", "scikit-learn", "faker", "pyarrow", "sqlalchemy", "openai"],
  }],
  ["kestra-io/polars", {
    language: "python",
    packages: ["kestra", "requests", "polars[sqlalchemy,adbc]", "loguru", "amazon.ion", "faker"],
  }],
  ["kestra-io/duckdb", {
    language: "python",
    packages: ["kestra", "requests", "duckdb", "pandas", "pyarrow", "faker"],
  }],
  ["kestra-io/aws", {
    language: "python",
    packages: ["kestra", "requests", "pandas", "pyarrow", "awswrangler"],
  }],
  ...["bigquery", "databricks", "duckdb", "postgres", "redshift", "snowflake", "spark", "trino"].map(
    dbtImage,
  ),
]);
const REGISTRY =
  /^(?:docker\.io|index\.docker\.io|ghcr\.io|mirror\.gcr\.io|public\.ecr\.aws\/docker|quay\.io)\//;
const VERSION = /^(?:python|v)?(\d+(?:\.\d+)*)(?:$|[-.])/;

/** The content of an image; `undefined` if it is not known. */
export function knownImage(name: string): KnownImage | undefined {
  const [tagged = ""] = name.trim().split("@");
  const colon = tagged.indexOf(":", tagged.lastIndexOf("/") + 1);
  const repository = (colon < 0 ? tagged : tagged.slice(0, colon)).replace(REGISTRY, "").replace(
    /^library\//,
    "",
  );
  const content = IMAGES.get(repository);
  if (!content) return undefined;
  const { language, packages, isTagged } = content;
  const tag = isTagged && colon >= 0 ? VERSION.exec(tagged.slice(colon + 1))?.[1] : undefined;
  return { name, language, version: tag, packages };
}

function dbtImage(adapter: string): [string, ImageContent] {
  return [`kestra-io/dbt-${adapter}`, { language: "python", packages: ["dbt-core", `dbt-${adapter}`] }];
}

/** The known image that a task names; its default image says nothing about what the task needs. */
export function namedImage(properties: JsonObject): KnownImage | undefined {
  const runner = ownProperty(properties, "taskRunner");
  const docker = ownProperty(properties, "docker");
  const name = textOf(properties, "containerImage") ??
    (isJsonObject(runner) ? textOf(runner, "image") : undefined) ??
    (isJsonObject(docker) ? textOf(docker, "image") : undefined);
  return name === undefined ? undefined : knownImage(name);
}
