/** The searches: `github.issues.Search` and those of pull requests, repositories, users, code, commits and topics. */
import { type JsonObject, objectsOf } from "../../base/json.ts";
import {
  dynamicChoice,
  dynamicProperty,
  dynamicText,
  type PropertySchema,
  type PropertySchemas,
} from "../../model/flows/schema.ts";
import {
  defineTask,
  optionalText,
  type TaskContext,
  type TaskDefinition,
} from "../../model/tasks/task_definition.ts";
import { FETCH_TYPE, fetchedRows, ROWS_OUTPUTS } from "../fetched_rows.ts";
import { CONNECTION, GithubClient } from "./client.ts";
import { codeRow, commitRow, issueRow, repositoryRow, topicRow, userRow } from "./search_rows.ts";

/** Most results that the API gives for a search. */
const MAX_RESULTS = 1000;
const PAGE_SIZE = 100;

/** A property that adds a qualifier to the query. */
interface Qualifier {
  readonly schema: PropertySchema;
  /** What it adds to the query for a value; nothing for `undefined`. */
  readonly term: (value: string) => string | undefined;
}

/** A search. */
interface Search {
  readonly type: string;
  /** What is found, in texts. */
  readonly what: string;
  /** Last part of the path. */
  readonly path: string;
  /** Orders, and the one that is the default; none for a search that has a single order. */
  readonly sorts: readonly string[];
  readonly qualifiers: Readonly<Record<string, Qualifier>>;
  /** A part of every query. */
  readonly fixed?: string;
  readonly row: (item: JsonObject) => JsonObject;
  /** Reads each user: the search has the name only. */
  readonly hasDetails?: boolean;
}

/** A property whose value follows the name of a qualifier. */
function named(name: string, description: string): Qualifier {
  return { schema: dynamicText(description), term: (value) => `${name}:${quoted(value)}` };
}

function flag(term: string, description: string): Qualifier {
  return {
    schema: dynamicProperty("boolean", description),
    term: (value) => value === "true" ? term : undefined,
  };
}

/** Values with blanks are quoted, also those that begin with a comparison. */
function quoted(value: string): string {
  return /\s/.test(value) && !value.includes('"') ? `"${value}"` : value;
}

function chosen(name: string, values: Readonly<Record<string, string>>, description: string): Qualifier {
  const terms = new Map(Object.entries(values));
  return {
    schema: dynamicProperty("string", description, { values: [...terms.keys()] }),
    term: (value) => `${name}:${terms.get(value)}`,
  };
}

const REPOSITORY = named("repo", "Repository that is searched, as `owner/name`.");
const OPEN = flag("is:open", "Whether only open ones are found.");
const CLOSED = flag("is:closed", "Whether only closed ones are found.");
const MERGED = flag("is:merged", "Whether only merged pull requests are found.");

/** https://docs.github.com/en/search-github */
const SEARCHES: readonly Search[] = [
  {
    type: "github.issues.Search",
    what: "issues",
    path: "issues",
    sorts: ["CREATED", "UPDATED", "COMMENTS"],
    qualifiers: {
      repository: REPOSITORY,
      mentions: named("mentions", "User that is mentioned."),
      open: OPEN,
      closed: CLOSED,
      merged: MERGED,
    },
    row: issueRow,
  },
  {
    type: "github.pulls.Search",
    what: "pull requests",
    path: "issues",
    sorts: ["CREATED", "UPDATED", "COMMENTS"],
    fixed: "is:pr",
    qualifiers: {
      repository: REPOSITORY,
      mentions: named("mentions", "User that is mentioned."),
      reviewRequested: named("review-requested", "User whose review is asked for."),
      open: OPEN,
      closed: CLOSED,
      merged: MERGED,
      draft: flag("draft:true", "Whether only drafts are found."),
      assigned: named("assignee", "User that it is assigned to."),
      title: {
        schema: dynamicText("Text of the title."),
        term: (value) => `${quoted(value)} in:title`,
      },
      closedAt: named("closed", "When it was closed, such as `>=2026-01-01`."),
      createdAt: named("created", "When it was created, such as `>=2026-01-01`."),
      updatedAt: named("updated", "When it was changed, such as `>=2026-01-01`."),
      commit: { schema: dynamicText("Hash of a commit."), term: (value) => value },
      base: named("base", "Branch that the changes are for."),
      head: named("head", "Branch with the changes."),
      createdByMe: flag("author:@me", "Whether only those of the user of the token are found."),
      author: named("author", "User who created it."),
    },
    row: issueRow,
  },
  {
    type: "github.repositories.Search",
    what: "repositories",
    path: "repositories",
    sorts: ["UPDATED", "STARS", "FORKS"],
    qualifiers: {
      repository: REPOSITORY,
      language: named("language", "Language of the code."),
      created: named("created", "When it was created, such as `>=2026-01-01`."),
      stars: named("stars", "Number of stars, such as `>=100`."),
      user: named("user", "Owner of the repository."),
      topic: named("topic", "Topic of the repository."),
      visibility: chosen(
        "is",
        { PUBLIC: "public", PRIVATE: "private", INTERNAL: "internal" },
        "Who sees the repository.",
      ),
    },
    row: repositoryRow,
  },
  {
    type: "github.users.Search",
    what: "users",
    path: "users",
    sorts: ["JOINED", "REPOSITORIES", "FOLLOWERS"],
    qualifiers: {
      language: named("language", "Language of their repositories."),
      created: named("created", "When the account was created, such as `>=2026-01-01`."),
      repositories: named("repos", "Number of repositories, such as `>=10`."),
      in: named("in", "Where the query is looked for: `login`, `name` or `email`."),
      location: named("location", "Place of the user."),
      followers: named("followers", "Number of followers, such as `>=10`."),
      accountType: chosen(
        "type",
        { USER: "user", ORGANIZATION: "org" },
        "Whether users or organizations are found.",
      ),
    },
    row: userRow,
    hasDetails: true,
  },
  {
    type: "github.code.Search",
    what: "files",
    path: "code",
    sorts: ["BEST_MATCH", "INDEXED"],
    qualifiers: {
      repository: REPOSITORY,
      user: named("user", "Owner of the repository."),
      in: named("in", "Where the query is looked for: `file` or `path`."),
      language: named("language", "Language of the file."),
      extension: named("extension", "Extension of the file."),
      fork: chosen(
        "fork",
        { PARENT_AND_FORKS: "true", FORKS_ONLY: "only", PARENT_ONLY: "false" },
        "Whether forks are searched.",
      ),
      filename: named("filename", "Name of the file."),
      path: named("path", "Folder of the file."),
      size: named("size", "Bytes of the file, such as `>1000`."),
    },
    row: codeRow,
  },
  {
    type: "github.commits.Search",
    what: "commits",
    path: "commits",
    sorts: ["COMMITTER_DATE", "AUTHOR_DATE"],
    qualifiers: {
      repository: REPOSITORY,
      is: named("is", "Who sees the repository: `public` or `private`."),
      hash: named("hash", "Hash of the commit."),
      parent: named("parent", "Hash of a parent."),
      tree: named("tree", "Hash of the tree."),
      user: named("user", "Owner of the repository."),
      org: named("org", "Organization of the repository."),
      author: named("author", "User who wrote it."),
      authorDate: named("author-date", "When it was written, such as `>=2026-01-01`."),
      authorEmail: named("author-email", "Mail address of the author."),
      authorName: named("author-name", "Name of the author."),
      committer: named("committer", "User who committed it."),
      committerDate: named("committer-date", "When it was committed, such as `>=2026-01-01`."),
      committerEmail: named("committer-email", "Mail address of the committer."),
      committerName: named("committer-name", "Name of the committer."),
      merge: {
        schema: dynamicProperty("boolean", "Whether only merges, or no merges, are found."),
        term: (value) => `merge:${value}`,
      },
    },
    row: commitRow,
  },
  {
    type: "github.topics.Search",
    what: "topics",
    path: "topics",
    sorts: [],
    qualifiers: {
      is: chosen(
        "is",
        {
          FEATURED: "featured",
          CURATED: "curated",
          NOT_FEATURED: "not-featured",
          NOT_CURATED: "not-curated",
        },
        "Which topics are found.",
      ),
      repositories: named("repositories", "Number of repositories, such as `>1000`."),
      created: named("created", "When the topic was created, such as `>=2026-01-01`."),
    },
    row: topicRow,
  },
];

/** The types of the searches. Outputs: `rows`, `row` or `uri`, and `size`. */
export const SEARCH_TASKS: readonly TaskDefinition[] = Object.freeze(SEARCHES.map(searchTask));

function searchTask(search: Search): TaskDefinition {
  const { type, what, sorts, qualifiers } = search;
  const [sort] = sorts;
  return defineTask({
    type,
    title: `Search for ${what} on GitHub`,
    description: `Searches for ${what} on GitHub. The API gives at most 1,000 results.`,
    properties: {
      ...CONNECTION,
      query: dynamicText("Words and qualifiers, as in the search of GitHub."),
      ...Object.fromEntries(Object.entries(qualifiers).map(([name, { schema }]) => [name, schema])),
      order: dynamicChoice(["ASC", "DESC"], "ASC", "Direction of the order."),
      ...sort === undefined ? {} : { sort: dynamicChoice(sorts, sort, "Order of the results.") },
      fetchType: { ...FETCH_TYPE, default: "STORE" },
    } as PropertySchemas,
    outputs: ROWS_OUTPUTS,
    examples: [{
      title: `Search for ${what}`,
      yaml: `id: search
type: io.svc.plugin.${type}
oauthToken: "{{ secret('GITHUB_TOKEN') }}"
query: orchestration
fetchType: FETCH`,
    }],
    run: async (context) =>
      await fetchedRows(context, found(context, search), String(context.properties.fetchType)),
  });
}

/** @throws Error the query is empty */
function queryOf({ properties }: TaskContext, { qualifiers, fixed, what }: Search): string {
  const terms = Object.entries(qualifiers).flatMap(([name, { term }]) => {
    const value = optionalText(properties[name]);
    return value === undefined ? [] : term(value) ?? [];
  });
  const query = [optionalText(properties.query) ?? [], terms, fixed ?? []].flat().join(" ");
  if (query !== "") return query;
  throw new Error(`Cannot search for ${what}: neither a query nor a qualifier is given`);
}

async function* found(context: TaskContext, search: Search): AsyncGenerator<JsonObject> {
  const { path, row, hasDetails, what } = search;
  const { order, sort } = context.properties;
  const client = new GithubClient(context);
  // The best match has no name in the API.
  const sorting = sort === undefined || sort === "BEST_MATCH"
    ? undefined
    : String(sort).toLowerCase().replace("_", "-");
  const query = {
    q: queryOf(context, search),
    sort: sorting,
    order: sorting === undefined ? undefined : String(order).toLowerCase(),
    per_page: PAGE_SIZE,
  };
  for (let page = 1; page <= MAX_RESULTS / PAGE_SIZE; page++) {
    const { items } = await client.call({
      path: `/search/${path}`,
      query: { ...query, page },
      operation: `search for ${what}`,
    });
    const results = objectsOf(items);
    for (const item of results) yield row(hasDetails && client.hasToken ? await userOf(client, item) : item);
    if (results.length < PAGE_SIZE) return;
  }
}

async function userOf(client: GithubClient, { login }: JsonObject): Promise<JsonObject> {
  return await client.call({
    path: `/users/${encodeURIComponent(String(login))}`,
    operation: `read the user "${login}"`,
  });
}
