/** The types of GitHub against a stub of its REST API (version 2022-11-28) and of GraphQL. */
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { Buffer } from "node:buffer";
import type { JsonObject } from "../../src/base/json.ts";
import { appToken, runWorkflow } from "../../src/integrations/github/actions.ts";
import { issuesComment, issuesCreate, pullsCreate } from "../../src/integrations/github/issues.ts";
import { projectsList } from "../../src/integrations/github/projects.ts";
import { SEARCH_TASKS } from "../../src/integrations/github/search.ts";
import type { TaskDefinition } from "../../src/model/tasks/task_definition.ts";
import { type ApiReply, type ApiRequest, ApiStub } from "../support/servers/api_stub.ts";
import { runDefinition } from "../support/flows/definition_run.ts";

const TOKEN = "ghp_secret";

/** A stub that knows the token, the version of the API and the type of responses. */
function github(reply: (request: ApiRequest) => ApiReply): ApiStub {
  return new ApiStub((request) => {
    const { authorization, accept, "x-github-api-version": version } = request.headers;
    const isKnown = authorization === `Bearer ${TOKEN}` && accept === "application/vnd.github+json" &&
      version === "2022-11-28";
    return isKnown ? reply(request) : Response.json({ message: "Bad credentials" }, { status: 401 });
  });
}

function connection(stub: ApiStub): JsonObject {
  return { oauthToken: TOKEN, endpoint: stub.url };
}

const URL_OF_ISSUE = "https://github.com/acme/app/issues/7";

const CALLS: readonly (readonly [
  TaskDefinition,
  properties: JsonObject,
  reply: JsonObject,
  requests: readonly (readonly [call: string, body: JsonObject])[],
  outputs: JsonObject,
])[] = [
  [
    issuesCreate,
    { repository: "acme/app", title: "T", body: "B", labels: ["bug"] },
    { html_url: URL_OF_ISSUE, number: 7 },
    [["POST /repos/acme/app/issues", { title: "T", body: "B", labels: ["bug"] }]],
    { issueUrl: URL_OF_ISSUE, issueNumber: 7 },
  ],
  [
    issuesComment,
    { repository: "acme/app", issueNumber: 7, body: "Done" },
    { html_url: `${URL_OF_ISSUE}#issuecomment-1` },
    [["POST /repos/acme/app/issues/7/comments", { body: "Done" }]],
    { issueUrl: URL_OF_ISSUE, commentUrl: `${URL_OF_ISSUE}#issuecomment-1` },
  ],
  [
    pullsCreate,
    {
      repository: "acme/app",
      sourceBranch: "a",
      targetBranch: "main",
      title: "T",
      reviewers: ["octocat", "team:data"],
    },
    { html_url: "https://github.com/acme/app/pull/8", issue_url: "https://api/issues/8", number: 8 },
    [
      ["POST /repos/acme/app/pulls", {
        title: "T",
        head: "a",
        base: "main",
        maintainer_can_modify: false,
        draft: false,
      }],
      ["POST /repos/acme/app/pulls/8/requested_reviewers", {
        reviewers: ["octocat"],
        team_reviewers: ["data"],
      }],
    ],
    { issueUrl: "https://api/issues/8", pullRequestUrl: "https://github.com/acme/app/pull/8" },
  ],
  [
    runWorkflow,
    { repository: "acme/app", workflowId: "deploy.yml", ref: "main", inputs: { a: "1" } },
    {},
    [["POST /repos/acme/app/actions/workflows/deploy.yml/dispatches", { ref: "main", inputs: { a: "1" } }]],
    {},
  ],
];

for (const [definition, properties, reply, requests, outputs] of CALLS) {
  Deno.test(`${definition.type} calls the API`, async () => {
    await using stub = github(() => reply);
    const run = await runDefinition(definition, { ...connection(stub), ...properties });
    assertEquals(run.outputs, outputs);
    const sent = stub.requests.map(({ method, path, text }) => [`${method} ${path}`, JSON.parse(text)]);
    assertEquals(sent, requests.map(([call, body]) => [call, body]));
  });
}

const ISSUE = {
  number: 1,
  title: "T",
  state: "open",
  user: { login: "ann" },
  assignee: null,
  assignees: [{ login: "bob" }],
  created_at: "2026-01-01T00:00:00Z",
  comments: 2,
  labels: [{ name: "bug" }],
  repository_url: "https://api.github.com/repos/acme/app",
  html_url: "https://github.com/acme/app/issues/1",
};

const ISSUE_ROW = {
  number: 1,
  title: "T",
  state: "OPEN",
  state_reason: null,
  owner: "ann",
  assignee: null,
  assignees: ["bob"],
  created_at: "2026-01-01T00:00:00Z",
  closed_at: null,
  closed_by: null,
  comments: 2,
  labels: ["bug"],
  repository_name: "app",
  repository_url: "https://github.com/acme/app",
  url: "https://github.com/acme/app/issues/1",
};

/** A search, its query, and a member of its first row. */
const SEARCHES: readonly (readonly [
  type: string,
  properties: JsonObject,
  path: string,
  query: JsonObject,
  item: JsonObject,
  row: JsonObject,
])[] = [
  [
    "github.issues.Search",
    { query: "crash", repository: "acme/app", open: true, closed: false, order: "DESC", sort: "UPDATED" },
    "/search/issues",
    { q: "crash repo:acme/app is:open", sort: "updated", order: "desc" },
    ISSUE,
    ISSUE_ROW,
  ],
  [
    "github.pulls.Search",
    { title: "two words", createdByMe: true, head: "a" },
    "/search/issues",
    { q: '"two words" in:title head:a author:@me is:pr', sort: "created", order: "asc" },
    { ...ISSUE, html_url: "https://github.com/acme/app/pull/1" },
    { ...ISSUE_ROW, url: "https://github.com/acme/app/pull/1" },
  ],
  [
    "github.repositories.Search",
    { user: "acme", visibility: "PUBLIC", stars: ">=10" },
    "/search/repositories",
    { q: "stars:>=10 user:acme is:public", sort: "updated", order: "asc" },
    {
      name: "app",
      full_name: "acme/app",
      owner: { login: "acme" },
      stargazers_count: 12,
      visibility: "public",
    },
    { name: "app", full_name: "acme/app", owner: "acme", stars_count: 12, visibility: "PUBLIC" },
  ],
  [
    "github.code.Search",
    { query: "addClass", in: "file", fork: "FORKS_ONLY" },
    "/search/code",
    { q: "addClass in:file fork:only" },
    {
      name: "a.js",
      path: "src/a.js",
      sha: "1",
      repository: { name: "app", html_url: "https://github.com/acme/app" },
    },
    { name: "a.js", path: "src/a.js", repository_name: "app", repository_url: "https://github.com/acme/app" },
  ],
  [
    "github.commits.Search",
    { query: "fix", authorDate: ">2026-01-01", merge: false },
    "/search/commits",
    { q: "fix author-date:>2026-01-01 merge:false", sort: "committer-date", order: "asc" },
    {
      sha: "1",
      author: { login: "ann" },
      commit: { message: "Fix", author: { date: "d" }, tree: { sha: "t" } },
    },
    { sha: "1", author: "ann", message: "Fix", authored_date: "d", tree_sha: "t", committer: null },
  ],
  [
    "github.topics.Search",
    { query: "ruby", is: "NOT_CURATED" },
    "/search/topics",
    { q: "ruby is:not-curated" },
    { name: "ruby", display_name: "Ruby", featured: true, score: 1 },
    { name: "ruby", display_name: "Ruby", featured: true, score: 1, curated: false, released: null },
  ],
];

for (const [type, properties, path, query, item, row] of SEARCHES) {
  Deno.test(`${type} builds the query, and reads a page`, async () => {
    await using stub = github(() => ({ total_count: 1, items: [item] }));
    const definition = SEARCH_TASKS.find((task) => task.type === type) as TaskDefinition;
    const { outputs } = await runDefinition(definition, {
      ...connection(stub),
      ...properties,
      fetchType: "FETCH_ONE",
    });
    const found = outputs.row as JsonObject;
    assertEquals(Object.fromEntries(Object.keys(row).map((name) => [name, found[name]])), row);
    assertEquals([stub.requests[0]?.path, stub.requests[0]?.query], [path, {
      ...query,
      per_page: "100",
      page: "1",
    } as Record<string, string>]);
  });
}

Deno.test("a search reads all pages, and users one by one", async () => {
  await using stub = github(({ path, query }) => {
    if (path.startsWith("/users/")) return { login: path.slice(7), followers: 3 };
    const size = query.page === "1" ? 100 : 1;
    return { items: Array.from({ length: size }, (_each, index) => ({ login: `u${query.page}-${index}` })) };
  });
  const users = SEARCH_TASKS.find(({ type }) => type === "github.users.Search") as TaskDefinition;
  const { outputs, files } = await runDefinition(users, {
    ...connection(stub),
    query: "ann",
    accountType: "USER",
  });
  assertEquals(outputs.size, 101);
  assertMatch(files.get(String(outputs.uri)) ?? "", /^\{"username":"u1-0",.*"followers":3/);
  assertEquals(stub.requests.filter(({ path }) => path === "/search/users").map(({ query }) => query.page), [
    "1",
    "2",
  ]);
});

Deno.test("AppToken signs a JWT with keys of both forms", async () => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  for (const type of ["pkcs1", "pkcs8"] as const) {
    await using stub = new ApiStub(({ headers }) => {
      const [head, payload, signature = ""] = headers.authorization?.replace("Bearer ", "").split(".") ?? [];
      const isValid = verify(
        "RSA-SHA256",
        Buffer.from(`${head}.${payload}`),
        createPublicKey(publicKey.export({ type: "spki", format: "pem" })),
        Buffer.from(signature, "base64url"),
      );
      const claims = JSON.parse(Buffer.from(payload ?? "", "base64url").toString());
      return isValid && claims.iss === "Iv23" && claims.exp - claims.iat < 600
        ? { token: "ghs_1", expires_at: "2026-01-01T01:00:00Z" }
        : Response.json({ message: "A JSON web token could not be decoded" }, { status: 401 });
    });
    const { outputs } = await runDefinition(appToken, {
      clientId: "Iv23",
      installationId: "12",
      privateKey: String(privateKey.export({ type, format: "pem" })),
      endpoint: stub.url,
    });
    assertEquals(outputs, { token: "ghs_1", expiresAt: "2026-01-01T01:00:00Z" });
    assertEquals(stub.calls, ["POST /app/installations/12/access_tokens"]);
  }
  const error = await assertRejects(
    () => runDefinition(appToken, { clientId: "a", installationId: "1", privateKey: "secret words" }),
    Error,
    "Invalid privateKey: it is no RSA key in PEM",
  );
  assertEquals(error.message.includes("secret"), false);
});

function projectItem(number: number, status: string, labels: readonly string[]): JsonObject {
  return {
    fieldValues: {
      nodes: [{ field: { name: "Status" }, name: status }, { field: { name: "Size" }, number: 3 }, {}, {
        field: { name: "Owner" },
        users: { nodes: [{ login: "ann" }, { login: "bob" }] },
      }],
    },
    content: {
      __typename: "Issue",
      number,
      title: `Issue ${number}`,
      labels: { nodes: labels.map((name) => ({ name })) },
      assignees: { nodes: [] },
    },
  };
}

Deno.test("projects.List reads all pages, and selects by fields, status and labels", async () => {
  await using stub = github(({ text }) => {
    const { cursor } = JSON.parse(text).variables;
    const nodes = cursor === null
      ? [projectItem(1, "Todo", ["bug"]), { content: { __typename: "PullRequest" } }]
      : [projectItem(2, "Todo", []), projectItem(3, "Done", ["bug"]), projectItem(4, "Todo", ["bug", "x"])];
    const pageInfo = { hasNextPage: cursor === null, endCursor: "c" };
    return { data: { organization: { projectV2: { items: { pageInfo, nodes } } } } };
  });
  const { outputs } = await runDefinition(projectsList, {
    ...connection(stub),
    organization: "acme",
    projectNumber: 1,
    status: ["Todo"],
    labels: ["bug"],
    fields: { Owner: "ann,bob" },
    fetchType: "FETCH",
  });
  const [first, last] = outputs.rows as JsonObject[];
  assertEquals([first?.number, last?.number, outputs.size], [1, 4, 2]);
  assertEquals([first?.status, first?.Size, first?.Owner], ["Todo", "3", "ann,bob"]);
  assertEquals(stub.calls, ["POST /graphql", "POST /graphql"]);
});

const REFUSALS: readonly (readonly [reply: () => ApiReply, message: string])[] = [
  [
    () =>
      Response.json({
        message: "Validation Failed",
        errors: [{ resource: "Issue", field: "title", code: "missing_field" }],
      }, { status: 422 }),
    'Cannot create an issue in "acme/app" at "HOST": the response was 422: Validation Failed (Issue title missing_field)',
  ],
  [
    () => Response.json({ message: "Not Found" }, { status: 404 }),
    'Cannot create an issue in "acme/app" at "HOST": the response was 404: Not Found',
  ],
];

for (const [reply, message] of REFUSALS) {
  Deno.test(`a refusal of GitHub is reported: ${message}`, async () => {
    await using stub = github(reply);
    const run = () =>
      runDefinition(issuesCreate, { ...connection(stub), repository: "acme/app", title: "T" });
    assertEquals((await assertRejects(run, Error)).message.replace(stub.host, "HOST"), message);
    assertEquals(stub.calls.length, 1);
  });
}

Deno.test("what cannot be sent is refused before", async () => {
  const [search] = SEARCH_TASKS as [TaskDefinition];
  await assertRejects(
    () => runDefinition(issuesCreate, { repository: "acme/app/x", title: "T" }),
    Error,
    'Invalid repository: "acme/app/x" is not owner/name',
  );
  await assertRejects(
    () => runDefinition(search, {}),
    Error,
    "Cannot search for issues: neither a query nor a qualifier is given",
  );
  await using stub = github(() => ({
    errors: [{ type: "NOT_FOUND", message: "Could not resolve" }],
    data: null,
  }));
  await assertRejects(
    () => runDefinition(projectsList, { ...connection(stub), organization: "acme", projectNumber: 1 }),
    Error,
    `Cannot list the project 1 of "acme" at "${stub.host}": Could not resolve`,
  );
});
