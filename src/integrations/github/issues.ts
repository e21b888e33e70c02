/** `github.issues.Create`, `github.issues.Comment` and `github.pulls.Create`. */
import { dynamicFlag, dynamicProperty, dynamicText, type PropertySchema } from "../../model/flows/schema.ts";
import { defineTask, optionalText } from "../../model/tasks/task_definition.ts";
import { CONNECTION, GithubClient, REPOSITORY, repositoryPath, textsOf } from "./client.ts";

function texts(description: string, item: string): PropertySchema {
  return dynamicProperty("list", description, { items: { type: "string", description: item } });
}

/** Outputs: `issueUrl` and `issueNumber`. */
export const issuesCreate = defineTask({
  type: "github.issues.Create",
  title: "Create an issue on GitHub",
  description: "Creates an issue in a repository of GitHub.",
  properties: {
    ...CONNECTION,
    repository: REPOSITORY,
    title: dynamicText("Title of the issue.", { required: true }),
    body: dynamicText("Text of the issue, Markdown."),
    labels: texts("Labels of the issue.", "Name of a label."),
    assignees: texts("Users that the issue is assigned to.", "Login of a user."),
    fields: dynamicProperty("map", "Not supported: values of fields of the organization.", { planned: true }),
  },
  outputs: {
    issueUrl: { type: "string", description: "URL of the issue." },
    issueNumber: { type: "integer", description: "Number of the issue." },
  },
  examples: [{
    title: "Create an issue",
    yaml: `id: issue
type: io.svc.plugin.github.issues.Create
oauthToken: "{{ secret('GITHUB_TOKEN') }}"
repository: acme/app
title: "Execution {{ execution.id }} failed"
labels: [bug]`,
  }],
  async run(context) {
    const { repository, title, body, labels, assignees } = context.properties;
    const issue = await new GithubClient(context).call({
      path: `${repositoryPath(String(repository))}/issues`,
      json: { title, body, labels: textsOf(labels), assignees: textsOf(assignees) },
      operation: `create an issue in "${repository}"`,
    });
    return { issueUrl: issue.html_url ?? null, issueNumber: issue.number ?? null };
  },
});

/** Outputs: `issueUrl` and `commentUrl`. */
export const issuesComment = defineTask({
  type: "github.issues.Comment",
  title: "Comment on an issue on GitHub",
  description: "Adds a comment to an issue or a pull request of GitHub.",
  properties: {
    ...CONNECTION,
    repository: REPOSITORY,
    issueNumber: dynamicProperty("integer", "Number of the issue.", { required: true }),
    body: dynamicText("Text of the comment, Markdown.", { required: true }),
  },
  outputs: {
    issueUrl: { type: "string", description: "URL of the issue." },
    commentUrl: { type: "string", description: "URL of the comment." },
  },
  examples: [{
    title: "Comment on an issue",
    yaml: `id: comment
type: io.svc.plugin.github.issues.Comment
oauthToken: "{{ secret('GITHUB_TOKEN') }}"
repository: acme/app
issueNumber: 1347
body: "Done by execution {{ execution.id }}"`,
  }],
  async run(context) {
    const { repository, issueNumber, body } = context.properties;
    const { html_url: url } = await new GithubClient(context).call({
      path: `${repositoryPath(String(repository))}/issues/${issueNumber}/comments`,
      json: { body },
      operation: `comment on the issue ${issueNumber} of "${repository}"`,
    });
    const commentUrl = optionalText(url);
    return { issueUrl: commentUrl?.replace(/#.*$/s, "") ?? null, commentUrl: commentUrl ?? null };
  },
});

const TEAM = "team:";

/** Outputs: `issueUrl` and `pullRequestUrl`. */
export const pullsCreate = defineTask({
  type: "github.pulls.Create",
  title: "Create a pull request on GitHub",
  description: "Creates a pull request of GitHub, and asks for reviews.",
  properties: {
    ...CONNECTION,
    repository: REPOSITORY,
    sourceBranch: dynamicText("Branch with the changes; of another owner as `owner:branch`.", {
      required: true,
    }),
    targetBranch: dynamicText("Branch that the changes are for.", { required: true }),
    title: dynamicText("Title of the pull request.", { required: true }),
    body: dynamicText("Text of the pull request, Markdown."),
    maintainerCanModify: dynamicFlag(false, "Whether maintainers may change the branch."),
    draft: dynamicFlag(false, "Whether it is a draft."),
    reviewers: texts("Who is asked for a review.", "Login of a user, or `team:` and the name of a team."),
  },
  outputs: {
    issueUrl: { type: "string", description: "URL of the pull request as an issue of the API." },
    pullRequestUrl: { type: "string", description: "URL of the pull request." },
  },
  examples: [{
    title: "Create a pull request",
    yaml: `id: pull
type: io.svc.plugin.github.pulls.Create
oauthToken: "{{ secret('GITHUB_TOKEN') }}"
repository: acme/app
sourceBranch: changes
targetBranch: main
title: Update the flows
reviewers: [octocat, "team:data"]`,
  }],
  async run(context) {
    const { repository, sourceBranch, targetBranch, title, body, maintainerCanModify, draft } =
      context.properties;
    const client = new GithubClient(context);
    const path = `${repositoryPath(String(repository))}/pulls`;
    const pull = await client.call({
      path,
      json: {
        title,
        head: sourceBranch,
        base: targetBranch,
        body,
        maintainer_can_modify: maintainerCanModify,
        draft,
      },
      operation: `create a pull request in "${repository}"`,
    });
    const reviewers = textsOf(context.properties.reviewers);
    if (reviewers) {
      await client.call({
        path: `${path}/${pull.number}/requested_reviewers`,
        json: {
          reviewers: reviewers.filter((name) => !name.startsWith(TEAM)),
          team_reviewers: reviewers.filter((name) => name.startsWith(TEAM)).map((name) =>
            name.slice(TEAM.length)
          ),
        },
        operation: `ask for a review of the pull request ${pull.number} of "${repository}"`,
        isRepeatable: true,
      });
    }
    return { issueUrl: pull.issue_url ?? null, pullRequestUrl: pull.html_url ?? null };
  },
});
