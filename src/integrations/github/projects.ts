/** `github.projects.List`. https://docs.github.com/en/graphql/reference/objects#projectv2 */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectsOf,
  ownProperty,
  setOwnProperty,
} from "../../base/json.ts";
import { dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { defineTask, optionalText, type TaskContext } from "../../model/tasks/task_definition.ts";
import { FETCH_TYPE, fetchedRows, ROWS_OUTPUTS } from "../fetched_rows.ts";
import { CONNECTION, GithubClient, textsOf } from "./client.ts";

/** Kinds of values of fields, and what is read of each. */
const VALUES: readonly (readonly [kind: string, selection: string])[] = [
  ["Text", "text"],
  ["SingleSelect", "name"],
  ["Date", "date"],
  ["Number", "number"],
  ["Iteration", "title"],
  ["User", "users(first: 10) { nodes { login } }"],
  ["Repository", "repository { nameWithOwner }"],
  ["Label", "labels(first: 10) { nodes { name } }"],
  ["Milestone", "milestone { title }"],
];

const FIELD_VALUES = VALUES.map(([kind, selection]) =>
  `... on ProjectV2ItemField${kind}Value { field { ... on ProjectV2FieldCommon { name } } ${selection} }`
).join(" ");

const QUERY = `query($org: String!, $number: Int!, $cursor: String) {
  organization(login: $org) { projectV2(number: $number) { items(first: 100, after: $cursor) {
    pageInfo { hasNextPage endCursor }
    nodes {
      fieldValues(first: 50) { nodes { ${FIELD_VALUES} } }
      content { __typename ... on Issue {
        number title url createdAt closedAt repository { name }
        assignees(first: 10) { nodes { login } } labels(first: 10) { nodes { name } }
      } }
    }
  } } }
}`;

/** Outputs: `rows`, `row` or `uri`, and `size`. */
export const projectsList = defineTask({
  type: "github.projects.List",
  title: "List the issues of a project on GitHub",
  description: "Lists the issues of a project of an organization, with the values of their fields.",
  properties: {
    ...CONNECTION,
    organization: dynamicText("Login of the organization.", { required: true }),
    projectNumber: dynamicProperty("integer", "Number of the project.", { required: true }),
    fields: dynamicProperty("map", "Values that fields must have, by their names."),
    status: dynamicProperty("list", "Values that the field Status may have.", {
      items: { type: "string", description: "A value." },
    }),
    labels: dynamicProperty("list", "Labels of which an issue must have one.", {
      items: { type: "string", description: "A label." },
    }),
    limit: dynamicProperty("integer", "Most issues; 0 for all.", { default: 0, minimum: 0 }),
    fetchType: { ...FETCH_TYPE, default: "STORE" },
  },
  outputs: ROWS_OUTPUTS,
  examples: [{
    title: "List the open issues of a project",
    yaml: `id: list
type: io.svc.plugin.github.projects.List
oauthToken: "{{ secret('GITHUB_TOKEN') }}"
organization: acme
projectNumber: 1
status: [Todo, In progress]
fetchType: FETCH`,
  }],
  run: async (context) => await fetchedRows(context, selected(context), String(context.properties.fetchType)),
});

async function* selected(context: TaskContext): AsyncGenerator<JsonObject> {
  const { fields, status, labels, limit } = context.properties;
  const wanted = isJsonObject(fields) ? Object.entries(fields) : [];
  const states = textsOf(status), names = textsOf(labels);
  let count = 0;
  for await (const item of items(context)) {
    const isWanted = wanted.every(([name, value]) => String(ownProperty(item, name)) === String(value)) &&
      (!states || states.includes(String(item.status))) &&
      (!names || (item.labels as JsonValue[]).some((label) => names.includes(String(label))));
    if (!isWanted) continue;
    yield item;
    if (++count === Number(limit)) return;
  }
}

/** @throws Error there is no such project */
async function* items(context: TaskContext): AsyncGenerator<JsonObject> {
  const { organization: org = "", projectNumber: number = 0 } = context.properties;
  const client = new GithubClient(context);
  const operation = `list the project ${number} of "${org}"`;
  let cursor: string | undefined;
  do {
    const data = await client.query(QUERY, { org, number, cursor: cursor ?? null }, operation);
    const page = member(member(member(data, "organization"), "projectV2"), "items");
    const { pageInfo, nodes } = page;
    if (nodes === undefined) throw new Error(`Cannot ${operation}: it does not exist, or may not be read`);
    yield* objectsOf(nodes).flatMap(itemOf);
    const { hasNextPage, endCursor } = isJsonObject(pageInfo) ? pageInfo : {};
    cursor = hasNextPage === true ? optionalText(endCursor) : undefined;
  } while (cursor !== undefined);
}

function member(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isJsonObject(value) ? value : {};
}

function itemOf(node: JsonObject): JsonObject[] {
  const content = member(node, "content");
  if (content.__typename !== "Issue") return [];
  const { title = null, number = null, url = null, createdAt = null, closedAt = null } = content;
  const values = new Map(
    objectsOf(member(node, "fieldValues").nodes).flatMap((value): [string, JsonValue][] => {
      const name = optionalText(member(value, "field").name);
      return name === undefined ? [] : [[name, valueOf(value)]];
    }),
  );
  const item: JsonObject = {
    title,
    number,
    url,
    repository: member(content, "repository").name ?? null,
    createdAt,
    closedAt,
    assignees: namesOf(content, "assignees", "login"),
    labels: namesOf(content, "labels", "name"),
    status: values.get("Status") ?? null,
  };
  for (const [name, value] of values) {
    if (ownProperty(item, name) === undefined) setOwnProperty(item, name, value);
  }
  return [item];
}

function namesOf(object: JsonObject, list: string, name: string): JsonValue[] {
  return objectsOf(member(object, list).nodes).map((each) => each[name] ?? null);
}

function valueOf(value: JsonObject): JsonValue {
  const scalar = value.text ?? value.name ?? value.date ?? value.number ?? value.title ??
    member(value, "repository").nameWithOwner ?? member(value, "milestone").title;
  if (scalar !== undefined && scalar !== null) return String(scalar);
  return [...namesOf(value, "users", "login"), ...namesOf(value, "labels", "name")].join(",");
}
