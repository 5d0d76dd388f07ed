import type { Revision } from '@tidegate/revision';
import type { Deflated } from './deflated.ts';
import type { Deflater } from './deflater.ts';
import type { ItemForm } from './encoded.ts';
import type { Item } from './item.ts';
import { compareKeys, type Position } from './key-order.ts';
import type { Leaf } from './leaf.ts';
import { joinedSize, joinItems, withoutComma } from './segment.ts';
import { Branch, childIndex, find, lowerBound, type Node } from './tree.ts';

/** Consecutive items of one leaf. All readers of a run that is the whole leaf share the leaf's bytes. */
export interface Run {
  readonly items: readonly Item[];
  readonly from: number;
  readonly to: number;
  /** the length of `joined` */
  readonly bytes: number;
  /** the run's JSON, with a comma after each item */
  joined(): Buffer;
  /** its items in another form, one after the other */
  encoded(form: ItemForm): Buffer;
  /** the run's JSON without the last comma, deflated */
  deflated(deflater: Deflater): Promise<Deflated>;
}

/** A collection at one revision. It never changes. Keeping it costs only the nodes that later edits have replaced. */
export class Snapshot {
  readonly revision: Revision;
  readonly #root: Node;

  constructor(root: Node, revision: Revision) {
    this.#root = root;
    this.revision = revision;
  }

  get root(): Node {
    return this.#root;
  }

  get size(): number {
    return this.#root.count;
  }

  get(position: Position): Item | undefined {
    return find(this.#root, position);
  }

  /** The number of items of one namespace ("" for all) after a position. It visits one branch of each level. */
  count(namespace = '', after?: Position): number {
    const start = startOf(namespace, after);
    const from = start === undefined ? 0 : rankOf(this.#root, start);
    const isAfterItself = after !== undefined && start === after && this.get(after) !== undefined;
    // no other namespace is between these two
    const to = namespace === '' ? this.size : rankOf(this.#root, { namespace: `${namespace}\0`, name: '' });
    return Math.max(0, to - from - (isAfterItself ? 1 : 0));
  }

  /** The items of one namespace ("" for all) after a position, in key order, as runs. */
  *runs(namespace = '', after?: Position): Generator<Run> {
    const start = startOf(namespace, after);
    for (const leaf of leavesFrom(this.#root, start)) {
      const { items } = leaf;
      let from = start === undefined ? 0 : lowerBound(items, start);
      if (after !== undefined && from < items.length && compareKeys(items[from] as Item, after) === 0) from++;
      // the range can begin at the next leaf
      if (from === items.length) continue;
      const to = namespace === '' ? items.length : endOf(items, from, namespace);
      if (to > from) yield run(leaf, from, to);
      if (to < items.length) return;
    }
  }
}

/** The number of items before a position. */
function rankOf(root: Node, position: Position): number {
  let rank = 0;
  let node = root;
  while (node instanceof Branch) {
    const at = childIndex(node, position);
    for (let i = 0; i < at; i++) rank += (node.children[i] as Node).count;
    node = node.children[at] as Node;
  }
  return rank + lowerBound(node.items, position);
}

/** The end of the items of a namespace that begin here. */
function endOf(items: readonly Item[], from: number, namespace: string): number {
  let to = items.length;
  while (to > from && (items[to - 1] as Item).namespace !== namespace) to--;
  return to;
}

function startOf(namespace: string, after: Position | undefined): Position | undefined {
  const first = namespace === '' ? undefined : { namespace, name: '' };
  if (after === undefined) return first;
  return first !== undefined && compareKeys(first, after) > 0 ? first : after;
}

function* leavesFrom(node: Node, start: Position | undefined): Generator<Leaf> {
  if (!(node instanceof Branch)) {
    if (node.count > 0) yield node;
    return;
  }
  const first = start === undefined ? 0 : childIndex(node, start);
  for (let i = first; i < node.children.length; i++) {
    yield* leavesFrom(node.children[i] as Node, i === first ? start : undefined);
  }
}

function run(leaf: Leaf, from: number, to: number): Run {
  const { items } = leaf;
  const encoded = (form: ItemForm) => leaf.encoded(form).slice(from, to);
  if (from > 0 || to < items.length) {
    return { ...runOf(items, from, to), joined: () => leaf.joinedPart(from, to), encoded };
  }
  return {
    items,
    from,
    to,
    bytes: leaf.bytes,
    joined: () => leaf.joined,
    encoded,
    deflated: (deflater) => leaf.deflated(deflater),
  };
}

/** A run whose bytes are made for each reader. */
export function runOf(items: readonly Item[], from: number, to: number): Run {
  const joined = () => joinItems(items, from, to);
  return {
    items,
    from,
    to,
    bytes: joinedSize(items, from, to),
    joined,
    encoded: (form) => Buffer.concat(items.slice(from, to).map((item) => form.encode(item))),
    deflated: (deflater) => deflater.deflate(withoutComma(joined())),
  };
}
