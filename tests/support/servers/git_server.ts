/** Repositories of git, and a server of them over HTTP with credentials: `git http-backend` behind a small server on a free port. */
import { withTempDir } from "../temp_dir.ts";

/** The name and password that the server accepts. */
export const GIT_USER = "robot";
/** As {@link GIT_USER}. */
export const GIT_TOKEN = "hidden-token";

/** Whether git is installed. */
export async function hasGit(): Promise<boolean> {
  return await new Deno.Command("git", { args: ["--version"], stdout: "null", stderr: "null" }).output()
    .then(({ success }) => success, () => false);
}

/** A repository on this machine. */
export interface BareRepository {
  /** The folder that holds its folder. */
  readonly root: string;
  readonly path: string;
  /** Runs git in the repository; returns its output. */
  git(...args: string[]): Promise<string>;
}

/** Runs `work` with a repository `flows.git` whose branch `main` has these files. */
export async function withBareRepository(
  files: Readonly<Record<string, string>>,
  work: (repository: BareRepository) => Promise<void>,
): Promise<void> {
  await withTempDir(async (root) => {
    const path = `${root}/flows.git`;
    await run(root, ["init", "--quiet", "--bare", "--initial-branch=main", path]);
    await fill(root, files);
    await work({ root, path, git: (...args) => run(path, args) });
  });
}

/** A server with one repository. */
export interface GitServer extends Pick<BareRepository, "git"> {
  /** Address of the repository. */
  readonly url: string;
  readonly host: string;
}

/** Runs `work` with a repository whose branch `main` has these files. */
export async function withGitServer(
  files: Readonly<Record<string, string>>,
  work: (server: GitServer) => Promise<void>,
): Promise<void> {
  await withBareRepository(files, async ({ root, git }) => {
    await git("config", "http.receivepack", "true");
    const server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request) => respond(request, root),
    );
    const host = `127.0.0.1:${server.addr.port}`;
    try {
      await work({ url: `http://${host}/flows.git`, host, git });
    } finally {
      await server.shutdown();
    }
  });
}

async function fill(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  const tree = `${root}/tree`;
  await run(root, ["clone", "--quiet", `${root}/flows.git`, tree]);
  for (const [path, content] of Object.entries(files)) {
    await Deno.mkdir(`${tree}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    if (content.startsWith("-> ")) await Deno.symlink(content.slice(3), `${tree}/${path}`);
    else await Deno.writeTextFile(`${tree}/${path}`, content);
  }
  if (Object.keys(files).length === 0) return;
  await run(tree, ["add", "--all"]);
  await run(tree, ["commit", "--quiet", "--message", "first"]);
  await run(tree, ["push", "--quiet", "origin", "HEAD:main"]);
}

async function respond(request: Request, root: string): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  if (request.headers.get("authorization") !== `Basic ${btoa(`${GIT_USER}:${GIT_TOKEN}`)}`) {
    return new Response("Invalid token", { status: 401, headers: { "WWW-Authenticate": "Basic realm=git" } });
  }
  const process = new Deno.Command("git", {
    args: ["http-backend"],
    env: {
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers.get("content-type") ?? "",
      GIT_PROTOCOL: request.headers.get("git-protocol") ?? "",
      REMOTE_USER: GIT_USER,
    },
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const writer = process.stdin.getWriter();
  await writer.write(new Uint8Array(await request.arrayBuffer()));
  await writer.close();
  const { stdout } = await process.output();
  return responseOf(stdout);
}

/** A CGI response: headers, an empty line, the body. */
function responseOf(output: Uint8Array<ArrayBuffer>): Response {
  const text = new TextDecoder("latin1").decode(output);
  const end = text.indexOf("\r\n\r\n");
  const headers = new Headers();
  let status = 200;
  for (const line of text.slice(0, end).split("\r\n")) {
    const [name = "", value = ""] = line.split(/: (.*)/s);
    if (name === "Status") status = Number.parseInt(value);
    else headers.append(name, value);
  }
  return new Response(output.subarray(end + 4), { status, headers });
}

async function run(cwd: string, args: readonly string[]): Promise<string> {
  const identity = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
  const person = { NAME: "Ada", EMAIL: "ada@example.com" };
  const env = Object.entries(person).flatMap(([name, value]) => [
    [`GIT_AUTHOR_${name}`, value],
    [`GIT_COMMITTER_${name}`, value],
  ]);
  const { success, stdout, stderr } = await new Deno.Command("git", {
    args: [...args],
    cwd,
    env: { ...identity, ...Object.fromEntries(env) },
  }).output();
  if (!success) throw new Error(`git ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout).trim();
}
