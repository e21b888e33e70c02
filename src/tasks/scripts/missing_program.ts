/** Commands that end because a program is missing: which program the shell names, and how to get it. */
import type { ProcessPlace } from "../../model/ports/processes.ts";

/** Where a program comes from. */
interface ProgramSource {
  /** Package of Debian and Ubuntu. */
  readonly packageName?: string;
  /** Address of its installer, for a program without such a package. */
  readonly address?: string;
  /** Container image that has it. */
  readonly image: string;
}

/** Exit code of shells for a program that is missing. */
const NOT_FOUND = 127;
/** A longer line is output of the script itself. */
const MAX_REPORT_CHARS = 300;

/** How shells, `env` and the launcher of processes name a missing program. */
const REPORTS: readonly RegExp[] = [
  /(?:^|: )([^\s:]+): (?:command )?not found$/,
  /: command not found: (\S+)$/,
  /\benv: [‘'"]?([^\s’'":]+)[’'"]?: No such file or directory$/,
  /: failed to execute (\S+): No such file or directory$/,
];

const R: ProgramSource = { packageName: "r-base", image: "r-base" };
const RUBY: ProgramSource = { packageName: "ruby", image: "ruby" };
const NODE: ProgramSource = { packageName: "npm", image: "node" };
const PYTHON: ProgramSource = { packageName: "python3-pip", image: "python:3.13-slim" };

const DBT: ProgramSource = {
  address: "https://docs.getdbt.com/docs/core/pip-install",
  image: "ghcr.io/kestra-io/dbt",
};
const ANSIBLE: ProgramSource = { packageName: "ansible", image: "cytopia/ansible:latest-tools" };
const GCLOUD: ProgramSource = {
  address: "https://cloud.google.com/sdk/docs/install",
  image: "google/cloud-sdk",
};

const SOURCES: ReadonlyMap<string, ProgramSource> = new Map<string, ProgramSource>([
  ["R", R],
  ["Rscript", R],
  ["ansible", ANSIBLE],
  ["ansible-galaxy", ANSIBLE],
  ["ansible-playbook", ANSIBLE],
  ["aws", { packageName: "awscli", image: "amazon/aws-cli" }],
  ["az", { address: "https://aka.ms/installazurecli", image: "mcr.microsoft.com/azure-cli" }],
  ["bq", GCLOUD],
  ["bun", { address: "https://bun.sh", image: "oven/bun" }],
  ["bunx", { address: "https://bun.sh", image: "oven/bun" }],
  ["composer", { packageName: "composer", image: "composer" }],
  ["databricks", {
    address: "https://docs.databricks.com/dev-tools/cli/install.html",
    image: "ghcr.io/databricks/cli",
  }],
  ["dbt", DBT],
  ["deno", { address: "https://deno.com", image: "denoland/deno" }],
  ["gcloud", GCLOUD],
  ["gem", RUBY],
  ["go", { packageName: "golang-go", image: "golang" }],
  ["groovy", { packageName: "groovy", image: "groovy" }],
  ["gsutil", GCLOUD],
  ["java", { packageName: "default-jre-headless", image: "eclipse-temurin" }],
  ["jbang", { address: "https://www.jbang.dev", image: "jbangdev/jbang-action" }],
  ["julia", { address: "https://julialang.org", image: "julia" }],
  ["lua", { packageName: "lua5.4", image: "nickblah/lua" }],
  ["node", { packageName: "nodejs", image: "node" }],
  ["npm", NODE],
  ["npx", NODE],
  ["perl", { packageName: "perl", image: "perl" }],
  ["php", { packageName: "php-cli", image: "php" }],
  ["pip", PYTHON],
  ["pip3", PYTHON],
  ["pwsh", { address: "https://aka.ms/powershell", image: "ghcr.io/kestra-io/powershell" }],
  ["python", { packageName: "python-is-python3", image: "python:3.13-slim" }],
  ["python3", { packageName: "python3", image: "python:3.13-slim" }],
  ["redis-cli", { packageName: "redis-tools", image: "redis:7-alpine" }],
  ["ruby", RUBY],
  ["snow", {
    address: "https://docs.snowflake.com/developer-guide/snowflake-cli",
    image: "ghcr.io/kestra-io/snowflake-cli",
  }],
  ["terraform", {
    address: "https://developer.hashicorp.com/terraform/install",
    image: "hashicorp/terraform",
  }],
]);

/** The name of the program that a line of the error stream reports as missing; `undefined` for any other line. */
export function missingProgramIn(line: string): string | undefined {
  if (line.length > MAX_REPORT_CHARS) return undefined;
  for (const report of REPORTS) {
    const program = report.exec(line)?.[1];
    if (program !== undefined) return program;
  }
  return undefined;
}

/** Why commands have failed, with the way out if a program is missing. */
export function failureText(exitCode: number, place: ProcessPlace, missing: string | undefined): string {
  const text = `Command failed with exit code ${exitCode}`;
  return exitCode === NOT_FOUND && missing !== undefined ? `${text}: ${missingText(missing, place)}` : text;
}

function missingText(program: string, { type }: ProcessPlace): string {
  const source = SOURCES.get(program.slice(program.lastIndexOf("/") + 1));
  if (type !== "process") {
    const example = source === undefined ? "" : `, for example "${source.image}"`;
    return `the image of the container has no program "${program}"; set \`containerImage\` to one that has it${example}`;
  }
  const image = source === undefined ? "that has it" : `with \`containerImage: ${source.image}\``;
  return `the program "${program}" is missing on the PATH of the script; ${installText(source)}, ` +
    `add its folder to PATH in \`env\`, or let the task run in a container ${image}`;
}

function installText(source: ProgramSource | undefined): string {
  if (source?.packageName !== undefined) {
    return `install it (package "${source.packageName}" of Debian and Ubuntu)`;
  }
  return source?.address === undefined ? "install it" : `install it (${source.address})`;
}
