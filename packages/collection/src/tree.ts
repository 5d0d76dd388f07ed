import type { Item } from './item.ts';
import { compareKeys, type Position } from './key-order.ts';
import { Leaf, Owner } from './leaf.ts';
import type { Segment } from './segment.ts';

/**
 * A persistent B+tree of items in key order, with transient edits.
 *
 * Invariant: a node is changed in place only while its owner is the tree's current owner. `freeze` returns the root
 * and takes a new owner, so that no node below a frozen root changes again; the next edit copies the nodes on its
 * path once.
 *
 * For example two edits, a freeze and an edit: the third edit copies one leaf and the branch above it (2 of 100
 * nodes); the frozen root still reads the old leaf, and all other leaves are shared with their bytes.
 */
export type Node = Leaf | Branch;

const BRANCH_MAX = 128;

export class Branch {
  owner: Owner;
  children: Node[];
  count: number;

  constructor(owner: Owner, children: Node[]) {
    this.owner = owner;
    this.children = children;
    this.count = children.reduce((sum, child) => sum + child.count, 0);
  }

  get first(): Item {
    return (this.children[0] as Node).first;
  }
}

/** Index of the first item that is not before the position. */
export function lowerBound(items: readonly Item[], position: Position): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareKeys(items[middle] as Item, position) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Index of the child that holds the position, if there is one. */
export function childIndex(branch: Branch, position: Position): number {
  let low = 1;
  let high = branch.children.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareKeys((branch.children[middle] as Node).first, position) <= 0) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

export function find(root: Node, position: Position): Item | undefined {
  let node = root;
  while (node instanceof Branch) node = node.children[childIndex(node, position)] as Node;
  const item = node.items[lowerBound(node.items, position)];
  return item !== undefined && compareKeys(item, position) === 0 ? item : undefined;
}

export class Tree {
  #owner: Owner;
  #root: Node;

  constructor(root?: Node, ofPast = false) {
    this.#owner = new Owner(ofPast);
    this.#root = root ?? new Leaf(this.#owner, []);
  }

  /** Builds a tree of the segments, level by level. */
  static of(segments: readonly Segment[]): Tree {
    const tree = new Tree();
    const owner = tree.#owner;
    let level: Node[] = segments.map((segment) => Leaf.of(owner, segment));
    while (level.length > 1) {
      const above: Node[] = [];
      for (let i = 0; i < level.length; i += BRANCH_MAX) above.push(new Branch(owner, level.slice(i, i + BRANCH_MAX)));
      level = above;
    }
    tree.#root = level[0] ?? tree.#root;
    return tree;
  }

  get size(): number {
    return this.#root.count;
  }

  get(position: Position): Item | undefined {
    return find(this.#root, position);
  }

  /** The current root. It never changes again. */
  freeze(): Node {
    this.#owner = new Owner();
    return this.#root;
  }

  /** Adds or replaces an item, and returns the replaced one. */
  set(item: Item): Item | undefined {
    const previous = this.get(item);
    const [left, right] = this.#insert(this.#root, item);
    this.#root = right === undefined ? left : new Branch(this.#owner, [left, right]);
    return previous;
  }

  delete(position: Position): Item | undefined {
    const previous = this.get(position);
    if (previous === undefined) return undefined;
    this.#root = this.#remove(this.#root, position) ?? new Leaf(this.#owner, []);
    while (this.#root instanceof Branch && this.#root.children.length === 1)
      this.#root = this.#root.children[0] as Node;
    return previous;
  }

  #insert(node: Node, item: Item): [Node, Node?] {
    if (node instanceof Leaf) return this.#insertIntoLeaf(this.#ownLeaf(node), item);
    const branch = this.#ownBranch(node);
    const at = childIndex(branch, item);
    const child = branch.children[at] as Node;
    const before = child.count;
    const [left, right] = this.#insert(child, item);
    branch.count += left.count + (right?.count ?? 0) - before;
    branch.children[at] = left;
    if (right === undefined) return [branch];
    branch.children.splice(at + 1, 0, right);
    if (branch.children.length <= BRANCH_MAX) return [branch];
    // appending in key order fills nodes instead of leaving them half empty
    const cut = at + 2 === branch.children.length ? branch.children.length - 1 : branch.children.length >>> 1;
    return [
      new Branch(this.#owner, branch.children.slice(0, cut)),
      new Branch(this.#owner, branch.children.slice(cut)),
    ];
  }

  #insertIntoLeaf(leaf: Leaf, item: Item): [Node, Node?] {
    const at = lowerBound(leaf.items, item);
    const existing = leaf.items[at];
    if (existing !== undefined && compareKeys(existing, item) === 0) leaf.set(at, item);
    else leaf.insert(at, item);
    if (!leaf.isLarge) return [leaf];
    const cut = at === leaf.items.length - 1 ? leaf.items.length - 1 : leaf.middle;
    return [leaf.copy(this.#owner, 0, cut), leaf.copy(this.#owner, cut)];
  }

  /**
   * Joins nodes with few items, so that the bytes of a leaf stay worth joining. The result is undefined when no item
   * is left.
   */
  #remove(node: Node, position: Position): Node | undefined {
    if (node instanceof Leaf) {
      const leaf = this.#ownLeaf(node);
      leaf.remove(lowerBound(leaf.items, position));
      return leaf.items.length === 0 ? undefined : leaf;
    }
    const branch = this.#ownBranch(node);
    const at = childIndex(branch, position);
    const child = this.#remove(branch.children[at] as Node, position);
    branch.count--;
    if (child === undefined) branch.children.splice(at, 1);
    else {
      branch.children[at] = child;
      this.#joinNeighbour(branch, at);
    }
    return branch.children.length === 0 ? undefined : branch;
  }

  #joinNeighbour(branch: Branch, at: number): void {
    const left = branch.children[at];
    const right = branch.children[at + 1];
    if (!(left instanceof Leaf && right instanceof Leaf && left.isSmall && right.isSmall)) return;
    branch.children.splice(at, 2, new Leaf(this.#owner, [...left.items, ...right.items]));
  }

  #ownLeaf(leaf: Leaf): Leaf {
    return leaf.owner === this.#owner ? leaf : leaf.copy(this.#owner);
  }

  #ownBranch(branch: Branch): Branch {
    return branch.owner === this.#owner ? branch : new Branch(this.#owner, branch.children.slice());
  }
}
