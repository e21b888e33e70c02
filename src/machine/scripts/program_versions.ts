/** Which programs scripts find, and their versions: each program is started once to read it. */
import { LruCache } from "../../base/lru.ts";
import type { ProcessLine, ProgramFacts } from "../../model/ports/processes.ts";

/** Runs a command where scripts run; true if it succeeds. */
type RunProgram = (command: readonly string[], onLine: (line: ProcessLine) => void) => Promise<boolean>;

const MAX_PROGRAMS = 200;
const MAX_VERSION_CHARS = 100;
/** Prints the path of the program `$1`, then its version if it has one. Some programs print that on the error stream. */
const PROGRAM = `
found=$(command -v -- "$1") || exit 1
printf '%s\\n' "$found"
version=$("$found" --version 2>&1) && printf '%s\\n' "$version"
exit 0
`;

/** The programs of one server. */
export class ProgramVersions {
  readonly #known = new LruCache<string, Promise<ProgramFacts | undefined>>(MAX_PROGRAMS);

  /** The program of that name below the folders of `path`. What is missing is looked for again the next time. */
  find(name: string, path: string, run: RunProgram): Promise<ProgramFacts | undefined> {
    const key = `${name}\n${path}`;
    const known = this.#known.get(key);
    if (known) return known;
    const looking = look(name, run);
    this.#known.set(key, looking);
    const forget = () => this.#known.delete(key);
    void looking.then((facts) => facts ?? forget(), forget);
    return looking;
  }
}

async function look(name: string, run: RunProgram): Promise<ProgramFacts | undefined> {
  const lines: string[] = [];
  const isThere = await run(["/bin/sh", "-c", PROGRAM, "sh", name], ({ text }) => void lines.push(text));
  const [path, ...versions] = lines;
  const version = versions.find((line) => line.trim() !== "") ?? "";
  return isThere && path ? { path, version: version.trim().slice(0, MAX_VERSION_CHARS) } : undefined;
}
