/** A path, with the positions of all entries that have it. */
interface Node {
  /** the nearest path that contains this one */
  readonly holder: Node | undefined;
  /** in sorted order the paths within this one follow it, up to this index */
  end: number;
  /** indexes of earlier entries */
  readonly visited: number[];
}

/**
 * Reports each pair of paths that are equal, or of which one contains the other: for each path the earlier ones, in
 * their order, until the listener returns false. Empty paths are skipped.
 *
 *   etc/tls, var, etc, etc/tls   →   etc with etc/tls (2, 0); etc/tls with etc/tls (3, 0); etc/tls with etc (3, 2)
 *
 * In sorted order all paths within a path follow it. So the containing paths are found by going up, and the paths
 * within by going forward; together they are no more than the paths have characters.
 */
export function eachOverlap(paths: readonly string[], report: (later: number, earlier: number) => boolean): void {
  const texts = [...new Set(paths)].filter((path) => path !== '').map((path) => `${path}/`);
  texts.sort();
  const nodes = nodesOf(texts);
  const places = new Map(texts.map((text, i) => [text, i]));
  for (const [later, path] of paths.entries()) {
    const at = places.get(`${path}/`);
    if (at === undefined) continue;
    const own = nodes[at] as Node;
    const earlier: number[] = [];
    for (let node = own.holder; node !== undefined; node = node.holder) append(earlier, node.visited);
    for (let i = at; i < own.end; i++) append(earlier, (nodes[i] as Node).visited);
    earlier.sort((a, b) => a - b);
    for (const place of earlier) if (!report(later, place)) return;
    own.visited.push(later);
  }
}

function append(to: number[], more: readonly number[]): void {
  for (const one of more) to.push(one);
}

/** Makes the nodes of sorted, distinct paths. */
function nodesOf(sorted: readonly string[]): Node[] {
  const nodes: Node[] = [];
  const open: Array<{ readonly node: Node; readonly text: string }> = [];
  const close = (end: number): void => {
    const last = open.pop();
    if (last !== undefined) last.node.end = end;
  };
  for (const [i, text] of sorted.entries()) {
    while (open.length > 0 && !text.startsWith((open.at(-1) as { text: string }).text)) close(i);
    const node: Node = { holder: open.at(-1)?.node, end: sorted.length, visited: [] };
    nodes.push(node);
    open.push({ node, text });
  }
  return nodes;
}
