export { Collection, type CollectionChange } from './collection.ts';
export { type CorruptObject, corruptObject } from './corrupt-object.ts';
export { type CollectionEvent, eventKind } from './event.ts';
export { Item, type ItemParts, itemParts, spliced } from './item.ts';
export { compareKeys, type Position } from './key-order.ts';
export { type Run, Snapshot } from './snapshot.ts';
export { joinItems } from './tree.ts';
export { EventWindow, type Hole } from './window.ts';
