/** What an author sees who writes flows in an editor with a given schema. */
import type { EditorRequest, EditorView } from "./editor/language_server.ts";

export { CURSOR, type EditorRequest, type EditorView } from "./editor/language_server.ts";

/** Exact, as in the lock file beside the program. */
const PACKAGE = "npm:yaml-language-server@2.0.0";
const FOLDER = new URL("./editor/", import.meta.url).pathname;

/** For each request one view a document. @throws Error when the language service cannot be run */
export async function editorViews(requests: readonly EditorRequest[]): Promise<EditorView[][]> {
  const command = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      ...["--quiet", "--no-prompt", "--no-config", "--frozen", `--lock=${FOLDER}language_server.lock`],
      ...["--allow-read", "--allow-env", "--allow-sys"],
      `${FOLDER}language_server.ts`,
      PACKAGE,
    ],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  });
  await using child = command.spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(JSON.stringify(requests)));
  await writer.close();
  const { success, stdout, stderr } = await child.output();
  if (!success) throw new Error(`The language service failed: ${new TextDecoder().decode(stderr)}`);
  return JSON.parse(new TextDecoder().decode(stdout));
}
