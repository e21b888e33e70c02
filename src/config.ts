/** What the process was told: the only reader of its arguments and environment. Parsing is in `config/parse.ts`. */
import { ConfigProblem, type FileContent } from "./config/given.ts";
import { helpText } from "./config/help.ts";
import { type Config, parseConfig } from "./config/parse.ts";
import { VERSION } from "./config/version.ts";

export { ConfigProblem } from "./config/given.ts";
export { type Config, isLoopback, type Protection } from "./config/parse.ts";
export { type Credentials } from "./config/values.ts";
export { VERSION } from "./config/version.ts";

/** What the process is asked to do: print something, refuse, or serve. */
export type Command =
  | { readonly type: "print"; readonly text: string }
  | { readonly type: "refuse"; readonly message: string }
  | { readonly type: "serve"; readonly config: Config };

/** The command of this process, from its arguments, its environment and the files they name. */
export function readCommand(): Command {
  const args = Deno.args;
  if (args.includes("--help") || args.includes("-h")) return { type: "print", text: helpText() };
  if (args.includes("--version")) return { type: "print", text: `sluice ${VERSION}` };
  const config = parseConfig(args, Deno.env.toObject(), readFile);
  return config instanceof ConfigProblem
    ? { type: "refuse", message: config.message }
    : { type: "serve", config };
}

function readFile(path: string): FileContent {
  try {
    return { text: Deno.readTextFileSync(path) };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { problem: "there is no such file" };
    if (error instanceof Deno.errors.PermissionDenied) return { problem: "permission denied" };
    if (error instanceof Deno.errors.IsADirectory) return { problem: "it is a folder" };
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
