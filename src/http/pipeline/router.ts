/**
 * The router of Hono: a tree of path segments. A literal segment precedes a parameter in any order of registration, path
 * and method together select the route, and each request has exactly one handler. The path is compared as sent: it is not
 * decoded, folded or normalised.
 */
import type { ParamIndexMap, Result, Router } from "hono/router";

/** Handlers of one route with the positions of its parameters. */
type Leaf<T> = [T, ParamIndexMap][];

/** Routes that end at the same place, by method, or `ALL`. */
type Leaves<T> = Map<string, Leaf<T>>;

/** A node of the tree. Most have one or two of these. */
interface Node<T> {
  literals: Map<string, Node<T>> | undefined;
  /** Parameters with a pattern, in order of registration. */
  patterns: { readonly source: string; readonly pattern: RegExp; readonly node: Node<T> }[] | undefined;
  param: Node<T> | undefined;
  leaves: Leaves<T> | undefined;
  /** Routes that match the rest of the path. */
  tails: Leaves<T> | undefined;
}

/** Paths of starts and webhooks repeat. */
const REPEATING_METHOD = "POST";
/** Few: a path can keep the URL that it is a part of in memory. */
const MAX_KNOWN_PATHS = 64;
const MAX_KNOWN_LENGTH = 256;

/** A segment of a route: its name and pattern, if it is a parameter. */
interface Parameter {
  readonly name?: string;
  readonly source?: string;
}
const LITERAL: Parameter = {};

/** Finds the route of a path and method. All routes are added before the first match. */
export class SegmentRouter<T> implements Router<T> {
  readonly name = "SegmentRouter";
  readonly #root = createNode<T>();
  /** Results of {@link REPEATING_METHOD} by path: without them a start takes 1 to 2 µs more. */
  readonly #known = new Map<string, Result<T>>();

  /**
   * Adds a route: literals, `:name`, `:name{pattern}`, and at the end `*` or `:name{.+}` for the rest, or `:name?`.
   * @throws Error a route of that method and shape exists
   */
  add(method: string, path: string, handler: T): void {
    if (path.endsWith("?")) {
      this.add(method, path.slice(0, path.lastIndexOf("/")) || "/", handler);
      path = path.slice(0, -1);
    }
    const params: ParamIndexMap = {};
    let node = this.#root;
    let count = 0;
    for (const segment of splitRoute(path)) {
      const { name, source } = segment.startsWith(":") ? parameterOf(segment) : LITERAL;
      const isTail = segment === "*" || source === ".+" || source === ".*";
      if (name !== undefined) params[name] = count;
      if (isTail) return addLeaf(node.tails ??= new Map(), method, path, [handler, params]);
      if (name !== undefined) count++;
      node = name === undefined ? literalNode(node, segment) : paramNode(node, source);
    }
    addLeaf(node.leaves ??= new Map(), method, path, [handler, params]);
  }

  /** The route of that method and path, with the values of its parameters as sent. */
  match(method: string, path: string): Result<T> {
    if (method !== REPEATING_METHOD || path.length > MAX_KNOWN_LENGTH) return this.#find(method, path);
    const known = this.#known.get(path);
    if (known) return known;
    const found = this.#find(method, path);
    if (this.#known.size === MAX_KNOWN_PATHS) this.#known.clear();
    this.#known.set(path, found);
    return found;
  }

  #find(method: string, path: string): Result<T> {
    const values: string[] = [];
    return [find(this.#root, { path, method, values }, 1) ?? [], values];
  }

  /** Methods with a route for that path, without `ALL`. */
  methodsOf(path: string): string[] {
    const methods = new Set<string>();
    const query = { path, methods, values: [] };
    find(this.#root, query, 1);
    return [...methods].filter((method) => method !== "ALL");
  }
}

/** Searches the route of a method, or (with `methods`) collects all methods by never accepting a route. */
interface Query {
  readonly path: string;
  readonly method?: string;
  readonly methods?: Set<string>;
  readonly values: string[];
}

function find<T>(node: Node<T>, query: Query, start: number): Leaf<T> | undefined {
  const { path, values } = query;
  if (start > path.length) return pick(node.leaves, query) ?? pick(node.tails, query);
  const slash = path.indexOf("/", start);
  const end = slash === -1 ? path.length : slash;
  const segment = path.slice(start, end);
  const literal = node.literals?.get(segment);
  const found = literal && find(literal, query, end + 1);
  if (found) return found;
  return (segment === "" ? undefined : findByParam(node, query, segment, end + 1)) ??
    pickTail(node, query, values, path.slice(start));
}

function findByParam<T>(node: Node<T>, query: Query, segment: string, next: number): Leaf<T> | undefined {
  const { values } = query;
  const depth = values.push(segment);
  for (const candidate of node.patterns ?? []) {
    const found = candidate.pattern.test(segment) && find(candidate.node, query, next);
    if (found) return found;
    values.length = depth;
  }
  const found = node.param && find(node.param, query, next);
  if (!found) values.length = depth - 1;
  return found;
}

function pickTail<T>(node: Node<T>, query: Query, values: string[], rest: string): Leaf<T> | undefined {
  const leaf = pick(node.tails, query);
  if (leaf) values.push(rest);
  return leaf;
}

function pick<T>(leaves: Leaves<T> | undefined, query: Query): Leaf<T> | undefined {
  if (leaves === undefined) return undefined;
  if (query.methods === undefined) return leaves.get(query.method ?? "") ?? leaves.get("ALL");
  for (const method of leaves.keys()) query.methods.add(method);
  return undefined;
}

function createNode<T>(): Node<T> {
  return { literals: undefined, patterns: undefined, param: undefined, leaves: undefined, tails: undefined };
}

function literalNode<T>(node: Node<T>, segment: string): Node<T> {
  const literals = node.literals ??= new Map<string, Node<T>>();
  const known = literals.get(segment);
  if (known) return known;
  const next = createNode<T>();
  literals.set(segment, next);
  return next;
}

function paramNode<T>(node: Node<T>, source: string | undefined): Node<T> {
  if (source === undefined) return node.param ??= createNode<T>();
  const patterns = node.patterns ??= [];
  const known = patterns.find((candidate) => candidate.source === source);
  if (known) return known.node;
  const next = createNode<T>();
  patterns.push({ source, pattern: new RegExp(`^(?:${source})$`), node: next });
  return next;
}

function addLeaf<T>(
  leaves: Leaves<T>,
  method: string,
  path: string,
  route: [T, ParamIndexMap],
): void {
  if (leaves.has(method)) throw new Error(`Cannot add route ${method} ${path}: there is one of that shape`);
  leaves.set(method, [route]);
}

/** Parts of `:name` or `:name{pattern}`. No regular expression: a server adds 2,200 segments when it starts. */
function parameterOf(segment: string): Parameter {
  const brace = segment.indexOf("{");
  if (brace === -1) return { name: segment.slice(1) };
  return { name: segment.slice(1, brace), source: segment.slice(brace + 1, -1) };
}

/** Segments of a route; a slash within the braces of a pattern does not separate. */
function splitRoute(path: string): string[] {
  return path.slice(1).split(path.includes("{") ? /\/(?![^{]*\})/ : "/");
}
