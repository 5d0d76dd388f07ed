import type { Item, Run } from '@tidegate/collection';
import type { Segment, SegmentItem } from '@tidegate/wire';

/** A run as a message: the joined bytes of its items, and the metadata of each. */
export function segmentMessage(run: Run): Segment {
  const items: SegmentItem[] = [];
  for (let i = run.from; i < run.to; i++) {
    const item = run.items[i] as Item;
    const { namespace, name, revision, uid, size, splice, deleting } = item;
    items.push({ namespace, name, revision, uid, size, splice, deleting, selection: item.selectionBytes() });
  }
  return { json: run.joined(), items };
}
