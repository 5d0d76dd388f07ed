import { type Revision, toRevision } from '@tidegate/revision';
import type { Position } from './key-order.ts';

/** An object that is stored and cannot be read. */
export interface CorruptObject extends Position {
  readonly revision: Revision;
  /** the reason */
  readonly why: string;
}

/** Makes it from the message that services send. */
export function corruptObject(message: { key: Position; revision: number; corrupt: string }): CorruptObject {
  const { namespace, name } = message.key;
  return { namespace, name, revision: toRevision(message.revision), why: message.corrupt };
}
