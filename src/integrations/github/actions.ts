/** `github.actions.RunWorkflow` and `github.auth.AppToken`. */
import { systemClock } from "../../base/time/clock.ts";
import { dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { defineTask } from "../../model/tasks/task_definition.ts";
import { CONNECTION, ENDPOINT, GithubClient, REPOSITORY, repositoryPath } from "./client.ts";

/** It has no outputs: GitHub does not say which run it starts. */
export const runWorkflow = defineTask({
  type: "github.actions.RunWorkflow",
  title: "Run a workflow of GitHub Actions",
  description:
    "Starts a workflow that has the trigger `workflow_dispatch`. The task does not wait for its end.",
  properties: {
    ...CONNECTION,
    repository: REPOSITORY,
    workflowId: dynamicText("Id of the workflow, or the name of its file.", { required: true }),
    ref: dynamicText("Branch or tag.", { required: true }),
    inputs: dynamicProperty("map", "Inputs of the workflow."),
  },
  examples: [{
    title: "Run a workflow with an input",
    yaml: `id: deploy
type: io.svc.plugin.github.actions.RunWorkflow
oauthToken: "{{ secret('GITHUB_TOKEN') }}"
repository: acme/app
workflowId: deploy.yml
ref: main
inputs:
  environment: staging`,
  }],
  async run(context) {
    const { repository, workflowId, ref, inputs } = context.properties;
    await new GithubClient(context).call({
      path: `${repositoryPath(String(repository))}/actions/workflows/${
        encodeURIComponent(String(workflowId))
      }/dispatches`,
      json: { ref, inputs },
      operation: `run the workflow "${workflowId}" of "${repository}"`,
    });
  },
});

/** GitHub refuses tokens of more than ten minutes, and those of a clock that is ahead of its own. */
const LIFETIME_S = 530;
const CLOCK_SPARE_S = 60;

/** Outputs: `token` and `expiresAt`. https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app */
export const appToken = defineTask({
  type: "github.auth.AppToken",
  title: "Get a token of a GitHub App",
  description: "Gets a token of an installation of a GitHub App, which is valid for an hour.",
  properties: {
    clientId: dynamicText("Client id or id of the app.", { required: true }),
    installationId: dynamicText("Id of the installation.", { required: true }),
    privateKey: dynamicText("Private key of the app in PEM; keep it as a secret.", { required: true }),
    endpoint: ENDPOINT,
  },
  outputs: {
    token: { type: "string", description: "The token." },
    expiresAt: { type: "dateTime", description: "Until when it is valid." },
  },
  examples: [{
    title: "Get a token for another task",
    yaml: `id: token
type: io.svc.plugin.github.auth.AppToken
clientId: Iv23abcdefghij
installationId: "12345678"
privateKey: "{{ secret('GITHUB_APP_KEY') }}"`,
  }],
  async run(context) {
    const { clientId, installationId, privateKey } = context.properties;
    const { token = null, expires_at: expiresAt = null } = await new GithubClient(context).call({
      path: `/app/installations/${encodeURIComponent(String(installationId))}/access_tokens`,
      method: "POST",
      token: await signedJwt(String(clientId), String(privateKey)),
      operation: `get a token of the installation "${installationId}"`,
    });
    return { token, expiresAt };
  },
});

/** @throws Error the key is malformed; the cause is left out, since it may show parts of the key */
async function signedJwt(issuer: string, privateKey: string): Promise<string> {
  const { createPrivateKey, sign } = await import("node:crypto");
  const { Buffer } = await import("node:buffer");
  const now = Math.floor(systemClock.now() / 1000);
  const parts = [
    { alg: "RS256", typ: "JWT" },
    { iat: now - CLOCK_SPARE_S, exp: now + LIFETIME_S, iss: issuer },
  ];
  const head = parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  try {
    const key = createPrivateKey(privateKey.replaceAll("\\n", "\n"));
    return `${head}.${sign("RSA-SHA256", Buffer.from(head), key).toString("base64url")}`;
  } catch {
    throw new Error("Invalid privateKey: it is no RSA key in PEM");
  }
}
