/** The command line of a script task: joins its commands, writes its script to a file, fetches stored files. */
import { type JsonObject, ownProperty } from "../../base/json.ts";
import { shellWord } from "../../base/text/shell_word.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import { STORAGE_SCHEME } from "../../model/namespaces/storage_uri.ts";
import { type LocalPlace, openAny, readTexts, writeLocalFile } from "../local_files.ts";
import { flagOf, textOf } from "../property_values.ts";
import type { ScriptProgram } from "./script_program.ts";

/** Linux limits an argument to 128 KiB; a longer text is written to a file. */
const MAX_ARGUMENT_BYTES = 100_000;
const SHELLS = /(?:^|\/)(?:sh|bash|dash|ash|ksh|zsh)$/;
/** Storage URIs within commands; blanks and quotes end them. */
const STORED_FILES = new RegExp(`${STORAGE_SCHEME}/[-a-zA-Z0-9%._+~#=/]+`, "g");

/** The commands of one attempt. */
export class ScriptCommands {
  /** The program and its arguments, set by {@link prepare}. */
  command: readonly string[] = [];
  readonly #place: LocalPlace;
  readonly #program: ScriptProgram;
  /** Folder of auxiliary files. */
  readonly #folder: string;
  readonly #copies = new Map<string, string>();
  /** Auxiliary files and folders of the working directory. */
  readonly #written = new Set<string>();

  constructor(place: LocalPlace, program: ScriptProgram) {
    this.#place = place;
    this.#program = program;
    this.#folder = auxiliaryFolder(place.context);
  }

  /** Writes files to the auxiliary folder, by name. */
  async writeFiles(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, content] of Object.entries(files)) await this.#write(name, content);
  }

  /**
   * Builds the command from rendered properties. `bins` are folders of commands, put first on the PATH of a shell.
   * @throws Error a stored file is missing
   */
  async prepare(properties: JsonObject, bins: readonly string[]): Promise<void> {
    const interpreter = interpreterOf(properties);
    const lines: string[] = [];
    for (const line of [...listOf(properties, "beforeCommands"), ...await this.#commands(properties)]) {
      lines.push(await this.#withCopies(line));
    }
    if (runsInShell(properties)) lines.unshift(...preamble(properties, bins));
    this.command = interpreter.length === 0 ? lines : await this.#interpreted(interpreter, lines.join("\n"));
  }

  /** Removes auxiliary files. */
  async remove(): Promise<void> {
    const { directory, context } = this.#place;
    for (const path of this.#written) {
      await context.ports.workingDirectories.removePath(`${directory}/${path}`);
    }
    this.#written.clear();
  }

  async #commands(properties: JsonObject): Promise<string[]> {
    const { fileName, command, importsFromItsFolder } = this.#program;
    const script = textOf(properties, "script");
    if (script === undefined) return listOf(properties, "commands");
    if (fileName === undefined || command === undefined) return [script];
    const text = await this.#withCopies(script);
    const path = importsFromItsFolder
      ? await this.#writeAt(`${this.#folder}.${fileName}`, text)
      : await this.#write(fileName, text);
    return [`${command} ${shellWord(path)}`];
  }

  async #interpreted(interpreter: readonly string[], text: string): Promise<string[]> {
    const isShort = new TextEncoder().encode(text).length <= MAX_ARGUMENT_BYTES;
    if (isShort || interpreter.at(-1) !== "-c") return [...interpreter, text];
    return [...interpreter.slice(0, -1), await this.#write("commands", text)];
  }

  /** Replaces storage URIs by paths of local copies; each file is fetched once. */
  async #withCopies(text: string): Promise<string> {
    for (const uri of new Set(text.match(STORED_FILES))) {
      if (!this.#copies.has(uri)) this.#copies.set(uri, await this.#fetch(uri));
    }
    return text.replace(STORED_FILES, (uri) => this.#copies.get(uri) ?? uri);
  }

  async #fetch(uri: string): Promise<string> {
    const { content } = await openAny(this.#place.context, uri);
    const ending = /\.[A-Za-z0-9]+$/.exec(uri)?.[0] ?? "";
    return await this.#write(`file-${this.#copies.size}${ending}`, content);
  }

  async #write(name: string, content: string | ReadableStream<Uint8Array>): Promise<string> {
    return await this.#writeAt(`${this.#folder}/${name}`, content);
  }

  async #writeAt(path: string, content: string | ReadableStream<Uint8Array>): Promise<string> {
    const { directory } = this.#place;
    this.#written.add(path.replace(/\/.*/, ""));
    return `${directory}/${await writeLocalFile(directory, path, content)}`;
  }
}

/** Name of the folder of the working directory that has auxiliary files while the commands run. */
export function auxiliaryFolder({ taskRunId }: Pick<RunContext, "taskRunId">): string {
  return `.sluice-${taskRunId}`;
}

/** True if the interpreter is a shell. */
export function runsInShell(properties: JsonObject): boolean {
  return SHELLS.test(interpreterOf(properties)[0] ?? "");
}

/** The program that receives the commands, with its arguments. */
export function interpreterOf(properties: JsonObject): string[] {
  const { interpreter = ["/bin/sh", "-c"], interpreterArgs } = properties;
  const words = readTexts(interpreter, 'Property "interpreter"');
  const isProgram = typeof interpreter === "string" && words[0] === interpreter;
  return isProgram && interpreterArgs === undefined
    ? [...words, "-c"]
    : [...words, ...listOf(properties, "interpreterArgs")];
}

/** The texts of a list property. @throws Error no list */
export function listOf(properties: JsonObject, name: string): string[] {
  return readTexts(ownProperty(properties, name), `Property "${name}"`);
}

function preamble(properties: JsonObject, bins: readonly string[]): string[] {
  const path = bins.length === 0 ? [] : [`export PATH=${bins.map(shellWord).join(":")}:"$PATH"`];
  return [...(flagOf(properties, "failFast", true) ? ["set -e"] : []), ...path];
}
