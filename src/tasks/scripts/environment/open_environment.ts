/** Opens the environment of a script that runs as a process of this machine. */
import type { JsonObject } from "../../../base/json.ts";
import type { RunContext } from "../../../model/ports/run_context.ts";
import { textOf } from "../../property_values.ts";
import { type KnownImage, namedImage } from "../known_images.ts";
import { findPython, type PythonInterpreter, type PythonRequest } from "./python_interpreter.ts";
import type { ProgramRequest } from "./machine_programs.ts";
import { findNode } from "./node_program.ts";
import { type EnvironmentLanguage, environmentName, ScriptEnvironment } from "./script_environment.ts";
import { useToolFiles } from "./tool_files.ts";

const IMPORT_OF_LIBS = /(?:from|import)\s*\(?\s*["']@kestra-io\/libs["']/;

/** What an environment is opened for. */
interface EnvironmentRequest extends ProgramRequest {
  /** Rendered. */
  readonly properties: JsonObject;
  readonly languages: readonly EnvironmentLanguage[];
}

/** The environment; `undefined` if the attempt was stopped. Logs a warning if it lacks what the task asks for. */
export async function openEnvironment(request: EnvironmentRequest): Promise<ScriptEnvironment | undefined> {
  const { context, env, languages } = request;
  const tools = await useToolFiles(context);
  if (!tools) return undefined;
  let isOpen = false;
  try {
    const { workingDirectories } = context.ports;
    const cache = await workingDirectories.cacheOf(context.tenant);
    const interpreter = languages.includes("python")
      ? await fittingPython({ ...request, tools, cache }, request.properties)
      : undefined;
    const hasNode = languages.includes("node");
    const nodeBin = hasNode ? await fittingNode(request, namedImage(request.properties)) : undefined;
    const directory = await workingDirectories.make(environmentName(context));
    const importsLibs = IMPORT_OF_LIBS.test(textOf(request.properties, "script") ?? "");
    isOpen = true;
    return new ScriptEnvironment({
      context,
      env,
      tools,
      directory,
      cache,
      hasNode,
      importsLibs,
      nodeBin,
      interpreter,
    });
  } finally {
    if (!isOpen) tools.release();
  }
}

/** The interpreter of the wanted version, else the default one with a warning. */
async function fittingPython(
  request: PythonRequest,
  properties: JsonObject,
): Promise<PythonInterpreter | undefined> {
  const { context } = request;
  const image = namedImage(properties);
  const given = textOf(properties, "pythonVersion")?.trim() || undefined;
  const version = given ?? (image?.language === "python" ? image.version : undefined);
  const wanted = version === undefined ? undefined : await findPython(version, request);
  if (wanted?.interpreter) return wanted.interpreter;
  const { interpreter } = await findPython(undefined, request);
  if (version !== undefined) {
    await warn(
      context,
      missingPython({ version, image: given === undefined ? image : undefined }, {
        used: interpreter?.version,
        problem: wanted?.problem,
      }),
    );
  }
  return interpreter;
}

/** The folder of the Node.js that the image has; `undefined` for that on the PATH. */
async function fittingNode(
  request: ProgramRequest,
  image: KnownImage | undefined,
): Promise<string | undefined> {
  if (image?.language !== "node" || image.version === undefined) return undefined;
  const { bin, other } = await findNode(image.version, request);
  if (other !== undefined) {
    const runs = other === "" ? "this machine has no `node`" : `"node" runs (${other})`;
    await warn(
      request.context,
      `Cannot run with Node.js "${image.version}" of the image "${image.name}": it is not on the PATH of the script, so ${runs}; ` +
        "install that version, add its folder to PATH in `env`, or let the task run in a container that has it",
    );
  }
  return bin;
}

async function warn(context: RunContext, message: string): Promise<void> {
  if (context.signal.aborted) return;
  context.log("WARN", message);
  await context.logged();
}

function missingPython(
  { version, image }: { readonly version: string; readonly image: KnownImage | undefined },
  { used, problem }: { readonly used: string | undefined; readonly problem: string | undefined },
): string {
  const wanted = image ? `Python "${version}" of the image "${image.name}"` : `Python "${version}"`;
  const runs = used === undefined ? "" : ` (Python ${used})`;
  const reason = problem === undefined ? "" : `, and uv cannot install it (${problem})`;
  return `Cannot run with ${wanted}: no "python${version}" works on the PATH of the script${reason}, so "python3" runs${runs}; ` +
    "install that version, add its folder to PATH in `env`, or let the task run in a container that has it";
}
