/** Paths of steps, kept as a tree: a path is compared with all of them in one walk. */

interface Node<Step> {
  /** The steps down to this node are a path of the set. */
  isEnd: boolean;
  readonly next: Map<Step, Node<Step>>;
}

/** A set of paths. */
export class PathSet<Step> {
  readonly #root: Node<Step> = { isEnd: false, next: new Map() };

  /** Adds a path. */
  add(path: readonly Step[]): void {
    let node = this.#root;
    for (const step of path) {
      const next: Node<Step> = node.next.get(step) ?? { isEnd: false, next: new Map() };
      node.next.set(step, next);
      node = next;
    }
    node.isEnd = true;
  }

  /** True if `path` begins with a path of the set whose length is accepted. */
  hasBeginningOf(path: readonly Step[], accepts: (length: number) => boolean = () => true): boolean {
    let node: Node<Step> | undefined = this.#root;
    for (let length = 0; node; length++) {
      if (node.isEnd && accepts(length)) return true;
      if (length === path.length) return false;
      node = node.next.get(path[length] as Step);
    }
    return false;
  }
}
