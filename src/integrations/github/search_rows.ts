/** What searches find, as rows of outputs. */
import { isJsonObject, type JsonObject, type JsonValue, objectsOf } from "../../base/json.ts";
import { optionalText } from "../../model/tasks/task_definition.ts";

/** A member of an object within a result. */
function within(value: JsonValue | undefined, ...path: string[]): JsonValue {
  let found: JsonValue | undefined = value;
  for (const name of path) found = found !== undefined && isJsonObject(found) ? found[name] : undefined;
  return found ?? null;
}

/** An issue or a pull request. */
export function issueRow(item: JsonObject): JsonObject {
  const url = optionalText(item.repository_url);
  const htmlUrl = optionalText(item.html_url);
  return {
    number: item.number ?? null,
    title: item.title ?? null,
    state: upper(item.state),
    state_reason: upper(item.state_reason),
    owner: within(item, "user", "login"),
    assignee: within(item, "assignee", "login"),
    assignees: objectsOf(item.assignees).map(({ login }) => login ?? null),
    created_at: item.created_at ?? null,
    closed_at: item.closed_at ?? null,
    closed_by: within(item, "closed_by", "login"),
    comments: item.comments ?? 0,
    labels: objectsOf(item.labels).map(({ name }) => name ?? null),
    repository_name: url?.slice(url.lastIndexOf("/") + 1) ?? null,
    repository_url: htmlUrl?.replace(/\/(?:issues|pull)\/\d+$/, "") ?? null,
    url: htmlUrl ?? null,
  };
}

function upper(value: JsonValue | undefined): string | null {
  return optionalText(value)?.toUpperCase() ?? null;
}

/** A repository. */
export function repositoryRow(item: JsonObject): JsonObject {
  return {
    name: item.name ?? null,
    full_name: item.full_name ?? null,
    url: item.html_url ?? null,
    description: item.description ?? null,
    owner: within(item, "owner", "login"),
    forks_count: item.forks_count ?? 0,
    stars_count: item.stargazers_count ?? 0,
    issues_count: item.open_issues_count ?? 0,
    updated: item.updated_at ?? null,
    created: item.created_at ?? null,
    language: item.language ?? null,
    archived: item.archived ?? false,
    fork: item.fork ?? false,
    disabled: item.disabled ?? false,
    template: item.is_template ?? false,
    default_branch: item.default_branch ?? null,
    visibility: upper(item.visibility),
  };
}

/** A user or an organization; what a search leaves out is null. */
export function userRow(item: JsonObject): JsonObject {
  return {
    username: item.login ?? null,
    url: item.html_url ?? null,
    name: item.name ?? null,
    followers: item.followers ?? null,
    following: item.following ?? null,
    location: item.location ?? null,
    company: item.company ?? null,
    public_repositories: item.public_repos ?? null,
    private_repositories: item.total_private_repos ?? null,
    updated: item.updated_at ?? null,
    created: item.created_at ?? null,
    type: item.type ?? null,
  };
}

/** A file. */
export function codeRow(item: JsonObject): JsonObject {
  return {
    repository_name: within(item, "repository", "name"),
    repository_url: within(item, "repository", "html_url"),
    name: item.name ?? null,
    sha: item.sha ?? null,
    git_url: item.git_url ?? null,
    path: item.path ?? null,
    url: item.html_url ?? null,
  };
}

/** A commit. */
export function commitRow(item: JsonObject): JsonObject {
  return {
    sha: item.sha ?? null,
    author: within(item, "author", "login"),
    committer: within(item, "committer", "login"),
    authored_date: within(item, "commit", "author", "date"),
    commit_date: within(item, "commit", "committer", "date"),
    repository: within(item, "repository", "name"),
    message: within(item, "commit", "message"),
    tree_sha: within(item, "commit", "tree", "sha"),
    tree_url: within(item, "commit", "tree", "url"),
    url: item.html_url ?? null,
  };
}

/** A topic: the members are as the API has them. */
export function topicRow(item: JsonObject): JsonObject {
  const { name, display_name, short_description, description, created_by, released, created_at, updated_at } =
    item;
  const { featured = false, curated = false, score = 0 } = item;
  const given = {
    name,
    display_name,
    short_description,
    description,
    created_by,
    released,
    created_at,
    updated_at,
  };
  const members = Object.entries(given).map(([key, value]): [string, JsonValue] => [key, value ?? null]);
  return { ...Object.fromEntries(members), featured, curated, score };
}
