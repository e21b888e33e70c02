/** Puts HTTP load on a server from another process: `wrk` where there is one, else autocannon from npm. */

/** Requests to send again and again; every connection sends its next one as soon as it has an answer. */
export interface Load {
  /** Address without a trailing slash. */
  readonly url: string;
  readonly method: "GET" | "POST";
  /** Paths with queries, taken in turn. */
  readonly paths: readonly string[];
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly seconds: number;
}

/** What came back. */
export interface LoadResult {
  /** Answers of success. */
  readonly accepted: number;
  /** Other answers, and requests without one. */
  readonly failed: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** A program that puts load on a server. */
export interface LoadGenerator {
  readonly name: string;
  /** Runs a load to its end. @throws Error with its output when the program fails */
  run(load: Load): Promise<LoadResult>;
}

const AUTOCANNON = "autocannon@9.0.0";
const RESULT = /^RESULT (\{.*\})$/m;
/** Longest wait for an answer. */
const TIMEOUT_SECONDS = 10;

/** The load generator of this machine; writes its scripts into `folder`. */
export async function findLoadGenerator(folder: string): Promise<LoadGenerator> {
  return await hasWrk() ? createWrk(folder) : createAutocannon();
}

async function hasWrk(): Promise<boolean> {
  try {
    await new Deno.Command("wrk", { args: ["--version"], stdout: "null", stderr: "null" }).output();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

function createWrk(folder: string): LoadGenerator {
  const script = `${folder}/load.lua`;
  return {
    name: "wrk",
    async run(load) {
      await Deno.writeTextFile(script, wrkScript(load));
      const { connections, seconds, url } = load;
      // wrk takes whole seconds only.
      const args = ["-t1", `-c${connections}`, `-d${Math.ceil(seconds)}s`, "-s", script];
      return await readResult("wrk", [...args, "--timeout", `${TIMEOUT_SECONDS}s`, url]);
    },
  };
}

/** wrk sends one prepared request unless `request` is defined; with several paths they are prepared beforehand. */
function wrkScript({ method, paths, body, headers = {} }: Load): string {
  const several = `local requests, sent = {}, 0
init = function() for i, path in ipairs(paths) do requests[i] = wrk.format(nil, path) end end
request = function() sent = sent % #requests + 1; return requests[sent] end`;
  return `wrk.method = ${luaText(method)}
${body === undefined ? "" : `wrk.body = ${luaText(body)}`}
${
    Object.entries(headers).map(([name, value]) => `wrk.headers[${luaText(name)}] = ${luaText(value)}`).join(
      "\n",
    )
  }
local paths = { ${paths.map(luaText).join(", ")} }
${paths.length === 1 ? "wrk.path = paths[1]" : several}
done = function(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format(
    'RESULT {"accepted":%d,"failed":%d,"seconds":%.6f,"p50Ms":%.4f,"p99Ms":%.4f}\\n',
    summary.requests - errors.status, failed, summary.duration / 1e6,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end
`;
}

/** A Lua text: decimal escapes for all that is not plainly printable. */
function luaText(text: string): string {
  const escaped = [...new TextEncoder().encode(text)].map((byte) => {
    const isPlain = byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c;
    return isPlain ? String.fromCharCode(byte) : `\\${String(byte).padStart(3, "0")}`;
  });
  return `"${escaped.join("")}"`;
}

function createAutocannon(): LoadGenerator {
  const program = `const [specifier, load] = Deno.args;
const { default: autocannon } = await import(specifier);
const { url, method, paths, body, headers, connections, seconds } = JSON.parse(load);
const result = await autocannon({ url, connections, duration: seconds, timeout: ${TIMEOUT_SECONDS},
  requests: paths.map((path) => ({ method, path, body, headers })) });
const { latency, errors, non2xx } = result;
const answer = { accepted: result["2xx"], failed: errors + non2xx, seconds: result.duration,
  p50Ms: latency.p50, p99Ms: latency.p99 };
process.stdout.write("RESULT " + JSON.stringify(answer) + "\\n");
process.exit(0);`;
  return {
    name: AUTOCANNON,
    run: async (load) => {
      const file = await Deno.makeTempFile({ suffix: ".mjs" });
      try {
        await Deno.writeTextFile(file, `import process from "node:process";\n${program}`);
        // Without lock file and configuration: the project does not depend on it.
        const args = ["run", "-A", "--quiet", "--no-lock", "--no-config", file, `npm:${AUTOCANNON}`];
        return await readResult(Deno.execPath(), [...args, JSON.stringify(load)]);
      } finally {
        await Deno.remove(file);
      }
    },
  };
}

async function readResult(program: string, args: readonly string[]): Promise<LoadResult> {
  const { stdout, stderr } = await new Deno.Command(program, { args: [...args], stdin: "null" }).output();
  const text = new TextDecoder().decode(stdout);
  const [, result] = RESULT.exec(text) ?? [];
  if (result === undefined) {
    throw new Error(`Cannot read the result of ${program}:\n${text}${new TextDecoder().decode(stderr)}`);
  }
  return JSON.parse(result) as LoadResult;
}
