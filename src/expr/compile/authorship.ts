/**
 * Which values `render()` may evaluate: those that the author of the flow wrote, and those that expressions make of them
 * alone. Decided by where a value comes from, not by its text: a caller who knows the flow could pass one of its texts as
 * an input, and have it evaluated in another place.
 */
import type { CallArguments, Expression } from "../syntax/ast.ts";
import type { Compilation } from "./compiler.ts";
import type { Context } from "../context.ts";

/** Whether the author alone made the value of an expression in this evaluation. */
export type Authorship = (context: Context) => boolean;

/** Functions whose result is made of their arguments alone. */
const PURE_FUNCTIONS: ReadonlySet<string> = new Set([
  ...["range", "max", "min", "fromJson", "json", "yaml", "fromIon"],
]);

/** A variable that an expression reads, and the member of it, where the source names one. */
interface VariableRead {
  readonly name: string;
  readonly member: string | undefined;
}

const ALWAYS: Authorship = () => true;
const NEVER: Authorship = () => false;

/** Whether the author alone made the value of a node: depends on the variables that it reads. */
export function authorshipOf(node: Expression): Authorship {
  const reads: VariableRead[] = [];
  if (!isAuthored(node, reads)) return NEVER;
  if (reads.length === 0) return ALWAYS;
  return (context) => reads.every(({ name, member }) => context.isAuthored(name, member));
}

/** As {@link authorshipOf}, for a value that has just been evaluated: the text of one pass may be the author's alone. */
export function printAuthorshipOf(node: Expression): Authorship {
  const isRender = node.kind === "call" && (node.name === "render" || node.name === "renderOnce");
  return isRender ? ({ isLastRenderOwn }) => isLastRenderOwn : authorshipOf(node);
}

/** As {@link authorshipOf}, for a value that gets a name. Asked only where `render()` may follow. */
export function namedAuthorshipOf(node: Expression, { source }: Compilation): Authorship {
  const authorship = authorshipOf(node);
  const mayRender = source.includes("render");
  return (context) => {
    const { isData, isInPlace } = context.pass;
    return !isData && (mayRender || isInPlace) && authorship(context);
  };
}

/** False for what may be made of data; adds the variables that the value is made of. */
function isAuthored(node: Expression, reads: VariableRead[]): boolean {
  const all = (nodes: readonly Expression[]) => nodes.every((each) => isAuthored(each, reads));
  switch (node.kind) {
    case "literal":
    case "test":
      return true;
    case "variable":
    case "member":
    case "index":
      return isAuthoredPath(node, reads);
    case "interpolation":
      return all(node.parts);
    case "method":
      return isAuthored(node.object, reads) && all(argumentsOf(node.args));
    case "call":
      return PURE_FUNCTIONS.has(node.name) && all(argumentsOf(node.args));
    case "list":
      return all(node.items);
    case "map":
      return all(node.entries.flat());
    case "unary":
      return isAuthored(node.operand, reads);
    case "binary":
      return all([node.left, node.right]);
    case "ternary":
      return all([node.yes, node.no]);
    case "filter":
      return isAuthored(node.input, reads) && all(argumentsOf(node.filter.args));
  }
}

/** Keys only choose among what the author wrote. */
function isAuthoredPath(node: Expression, reads: VariableRead[]): boolean {
  let root = node, member: string | undefined;
  while (root.kind === "member" || root.kind === "index") {
    member = root.kind === "member" ? root.name : undefined;
    root = root.object;
  }
  if (root.kind !== "variable") return isAuthored(root, reads);
  reads.push({ name: root.name, member });
  return true;
}

function argumentsOf({ positional, named }: CallArguments): readonly Expression[] {
  return [...positional, ...named.values()];
}
