/** Finds the version of Node.js that a known image has. */
import { lastLine, type ProgramRequest, remembered, retryTurn } from "./machine_programs.ts";

/** What was found. */
interface FoundNode {
  /** Folder of a `node` of the wanted version. */
  readonly bin?: string;
  /** Version of `node` on the PATH, if it is another one: `v20.20.2`, or empty where there is no `node`. */
  readonly other?: string;
}

/** Prints the folder of a `node` of version `v$1`, else the version of the one on the PATH. */
const FIND = `
for node in "$(command -v node)" "\${NVM_DIR:-$HOME/.nvm}"/versions/node/v"$1"*/bin/node; do
  [ -x "$node" ] && found=$("$node" --version 2>/dev/null) || continue
  case "$found." in v"$1".*) echo "\${node%/*}"; exit 0 ;; esac
done
node --version 2>/dev/null || echo
`;

/** A version of Node.js, such as `20`. Looked for every ten minutes. */
export async function findNode(version: string, request: ProgramRequest): Promise<FoundNode> {
  const deciding = ["PATH", "HOME", "NVM_DIR"].map((name) => request.env.get(name) ?? null);
  const found = await remembered<FoundNode>(
    request,
    ["node", version, retryTurn(request), ...deciding],
    async () => {
      const line = await lastLine(request, `set -- ${version}\n${FIND}`);
      if (line === undefined) return undefined;
      return line.startsWith("/") ? { bin: line } : { other: line };
    },
  );
  return found ?? { other: "" };
}
