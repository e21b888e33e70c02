/** Tree → closures: the compiler of each kind of node. */
import type { JqNode, NodeOf } from "./ast.ts";
import type { Code } from "./code.ts";
import { compileAssignment } from "./compile_assignment.ts";
import { compileCall, compileDefine } from "./compile_call.ts";
import {
  compileAnd,
  compileBreak,
  compileEither,
  compileFold,
  compileIf,
  compileLabel,
  compileOr,
  compileTry,
} from "./compile_control.ts";
import { compileBind } from "./compile_pattern.ts";
import {
  compileComma,
  compileFormat,
  compileIndex,
  compileIterate,
  compileList,
  compileLiteral,
  compileMap,
  compileNegate,
  compileOperator,
  compilePipe,
  compileSlice,
  compileText,
  compileVariable,
  DESCEND,
  IDENTITY,
} from "./compile_value.ts";
import { Scope } from "./scope.ts";

type Compilers = { readonly [K in JqNode["kind"]]: (node: NodeOf<K>, scope: Scope) => Code };

const COMPILERS: Compilers = {
  identity: () => IDENTITY,
  descend: () => DESCEND,
  literal: compileLiteral,
  text: compileText,
  format: compileFormat,
  index: compileIndex,
  slice: compileSlice,
  iterate: compileIterate,
  list: compileList,
  map: compileMap,
  negate: compileNegate,
  pipe: compilePipe,
  comma: compileComma,
  and: compileAnd,
  or: compileOr,
  either: compileEither,
  operator: compileOperator,
  assign: compileAssignment,
  if: compileIf,
  try: compileTry,
  reduce: compileFold,
  foreach: compileFold,
  label: compileLabel,
  break: compileBreak,
  define: compileDefine,
  call: compileCall,
  variable: compileVariable,
  bind: compileBind,
};

/** Compiles a program. @throws ExpressionError `unknown_function`, `undefined`, `argument` */
export function compileNode(node: JqNode): Code {
  return compileIn(node, Scope.of(compileIn));
}

function compileIn(node: JqNode, scope: Scope): Code {
  const compile = COMPILERS[node.kind] as (node: JqNode, scope: Scope) => Code;
  return compile(node, scope);
}
