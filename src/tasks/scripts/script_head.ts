/** The head of the log of a script task: where it runs, and what it lacks there. */
import type { JsonObject } from "../../base/json.ts";
import type { ProgramFacts } from "../../model/ports/processes.ts";
import type { LocalPlace } from "../local_files.ts";
import type { ScriptEnvironment } from "./environment/script_environment.ts";
import { interpreterOf } from "./script_commands.ts";
import type { ScriptProgram } from "./script_program.ts";
import type { ScriptPlace, UnusedImage } from "./task_runner.ts";

const PYTHON = "python3";
/** No operator of a shell. */
const PROGRAM_NAME = /^[\w./+-]+$/;

interface HeadOptions extends LocalPlace {
  readonly properties: JsonObject;
  readonly program: ScriptProgram;
  readonly env: ReadonlyMap<string, string>;
  readonly environment?: ScriptEnvironment;
}

/** Logs at DEBUG what runs where, and at WARN that an image is missing. */
export async function logHead(options: HeadOptions, place: ScriptPlace): Promise<void> {
  const { context, properties } = options;
  const { mode } = context.ports.processes.policy;
  // Refused when the first command is to run, with the reason.
  if (mode === "off" || mode === "container" && place.place.type === "process") return;
  const interpreter = interpreterOf(properties).join(" ");
  const text = place.place.type === "container"
    ? containerText(options, place.place.image)
    : processText(options, { place, program: await findProgram(options) });
  if (context.signal.aborted) return;
  context.log("DEBUG", interpreter === "" ? text : `${text}, interpreter "${interpreter}"`);
  const missing = unusedImageText(place.unusedImage);
  if (missing !== undefined) context.log("WARN", `The commands run as processes of this machine: ${missing}`);
  await context.logged();
}

/** That the image of a task is missing, for the message of its failure; `undefined` if the task chose that itself. */
export function unusedImageText(unused: UnusedImage | undefined): string | undefined {
  if (!unused || unused.isChosen) return undefined;
  return `image ${unused.image} was not used: ${unused.reason}`;
}

function containerText({ context }: HeadOptions, image: string): string {
  const state = context.ports.processes.containers.known;
  const runtime = state && "runtime" in state ? ` of ${state.runtime} ${state.version}` : "";
  return `Runs in a container${runtime}: image "${image}"`;
}

function processText(
  { context }: HeadOptions,
  { place: { unusedImage }, program }: { readonly place: ScriptPlace; readonly program?: ProgramFacts },
): string {
  const { user } = context.ports.processes.policy;
  const facts = [
    ...user === undefined ? [] : [`user "${user}"`],
    ...unusedImage?.isChosen
      ? [`image "${unusedImage.image}" is not used, because ${unusedImage.reason}`]
      : [],
    ...program ? [[program.version, `at "${program.path}"`].join(" ").trim()] : [],
  ];
  return ["Runs as a process of this machine", ...facts].join(", ");
}

/** The program of the language as the script finds it; a shell has none. */
async function findProgram(
  { context, program, env, environment, directory: workingDirectory }: HeadOptions,
): Promise<ProgramFacts | undefined> {
  const [name = ""] = program.command?.split(" ") ?? [];
  if (!PROGRAM_NAME.test(name)) return undefined;
  const { interpreter } = environment ?? {};
  // The one on the PATH of the environment is a link to it.
  if (interpreter && name === PYTHON) {
    return { path: interpreter.path, version: `Python ${interpreter.version}` };
  }
  const { signal, ports: { processes } } = context;
  return await processes.findProgram(context, name, { env, workingDirectory, signal });
}
