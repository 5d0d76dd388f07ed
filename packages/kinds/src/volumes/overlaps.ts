/** Paths of files that are the same. */
interface Node {
  /** the nearest path that holds this one */
  readonly holder: Node | undefined;
  /** all that this one holds follow it in the order of texts, up to here */
  end: number;
  /** places in the list, of those that were already visited */
  readonly visited: number[];
}

/**
 * Tells of each two paths of which one is the other, or holds it: for each path those before it, in their order, until
 * the listener answers false. Empty paths hold nothing.
 *
 *   etc/tls, var, etc, etc/tls   →   etc with etc/tls (2, 0); etc/tls with etc/tls (3, 0); etc/tls with etc (3, 2)
 *
 * In the order of texts a path is followed by all that it holds. So those that hold a path are found by going up, and
 * those in it by going on; together there are no more of them than the paths have characters.
 */
export function eachOverlap(paths: readonly string[], tell: (later: number, earlier: number) => boolean): void {
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
    for (const place of earlier) if (!tell(later, place)) return;
    own.visited.push(later);
  }
}

function append(to: number[], more: readonly number[]): void {
  for (const one of more) to.push(one);
}

/** `sorted` has each text once. */
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
