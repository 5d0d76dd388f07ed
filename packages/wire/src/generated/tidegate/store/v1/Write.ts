// Original file: proto/tidegate/store/v1/store.proto

import type { KeyInput as _tidegate_store_v1_KeyInput, Key as _tidegate_store_v1_Key } from '../../../tidegate/store/v1/Key.ts';
import type { GuardInput as _tidegate_store_v1_GuardInput, Guard as _tidegate_store_v1_Guard } from '../../../tidegate/store/v1/Guard.ts';
import type { WriteInput as _tidegate_store_v1_WriteInput, Write as _tidegate_store_v1_Write } from '../../../tidegate/store/v1/Write.ts';
import type { Long } from '@grpc/proto-loader';

// Original file: proto/tidegate/store/v1/store.proto

export const _tidegate_store_v1_Write_Kind = {
  CREATE: 0,
  UPDATE: 1,
  DELETE: 2,
} as const;

export type _tidegate_store_v1_Write_KindInput =
  | 'CREATE'
  | 0
  | 'UPDATE'
  | 1
  | 'DELETE'
  | 2

export type _tidegate_store_v1_Write_Kind = typeof _tidegate_store_v1_Write_Kind[keyof typeof _tidegate_store_v1_Write_Kind]

export interface WriteInput {
  'kind'?: (_tidegate_store_v1_Write_KindInput);
  'key'?: (_tidegate_store_v1_KeyInput | null);
  /**
   * 16 bytes; time-ordered, so that the log's index grows at its right edge. A write whose id is already in the log gets
   * the recorded outcome.
   */
  'operationId'?: (Buffer | Uint8Array | string);
  /**
   * UPDATE and DELETE: 0 matches any
   */
  'expectedRevision'?: (number | string | Long);
  /**
   * "" matches any
   */
  'expectedUid'?: (string);
  'value'?: (Buffer | Uint8Array | string);
  'splice'?: (number);
  'selection'?: (Buffer | Uint8Array | string);
  'uid'?: (string);
  'deleting'?: (boolean);
  'guards'?: (_tidegate_store_v1_GuardInput)[];
  /**
   * W3C trace context of the request, empty when it is not sampled
   */
  'traceparent'?: (string);
  /**
   * CREATE and UPDATE: the object is deleted this long after the commit, 0 for never
   */
  'lifetimeSeconds'?: (number);
  /**
   * only in a write that is sent again: the newest revision that its sender knew when it sent the write first. When the
   * log has been cut above that revision, the store cannot tell whether the write was done: the outcome is UNKNOWN.
   */
  'sentAfter'?: (number | string | Long);
  /**
   * CREATE and UPDATE: values that only this object has from this write on (addresses, ports). They replace its former
   * claims; words without spaces. Promise: with a guard UNCLAIMED for each new claim, no two objects have the same claim.
   */
  'claims'?: (string)[];
  /**
   * CREATE and UPDATE: the relations of the object to others from this write on. They replace its former ties; words
   * without spaces, each once. `owner/UID` for an owner, `blocks/UID` for an owner whose deletion waits for this object,
   * `waits/foreground` and `waits/orphan` for an owner that is being deleted. Promise: the garbage collector sees them in
   * the same commit as the object.
   */
  'ties'?: (string)[];
  /**
   * Writes of other keys that belong to this one. Promise: they are committed by the same call, and each is checked
   * against the state before the call. The sender gives all of them the same conditions, so that all are committed or
   * none. The outcome is that of this write.
   */
  'joined'?: (_tidegate_store_v1_WriteInput)[];
}

export interface Write {
  'kind': (_tidegate_store_v1_Write_Kind);
  'key': (_tidegate_store_v1_Key | null);
  /**
   * 16 bytes; time-ordered, so that the log's index grows at its right edge. A write whose id is already in the log gets
   * the recorded outcome.
   */
  'operationId': (Buffer);
  /**
   * UPDATE and DELETE: 0 matches any
   */
  'expectedRevision': (number);
  /**
   * "" matches any
   */
  'expectedUid': (string);
  'value': (Buffer);
  'splice': (number);
  'selection': (Buffer);
  'uid': (string);
  'deleting': (boolean);
  'guards': (_tidegate_store_v1_Guard)[];
  /**
   * W3C trace context of the request, empty when it is not sampled
   */
  'traceparent': (string);
  /**
   * CREATE and UPDATE: the object is deleted this long after the commit, 0 for never
   */
  'lifetimeSeconds': (number);
  /**
   * only in a write that is sent again: the newest revision that its sender knew when it sent the write first. When the
   * log has been cut above that revision, the store cannot tell whether the write was done: the outcome is UNKNOWN.
   */
  'sentAfter': (number);
  /**
   * CREATE and UPDATE: values that only this object has from this write on (addresses, ports). They replace its former
   * claims; words without spaces. Promise: with a guard UNCLAIMED for each new claim, no two objects have the same claim.
   */
  'claims': (string)[];
  /**
   * CREATE and UPDATE: the relations of the object to others from this write on. They replace its former ties; words
   * without spaces, each once. `owner/UID` for an owner, `blocks/UID` for an owner whose deletion waits for this object,
   * `waits/foreground` and `waits/orphan` for an owner that is being deleted. Promise: the garbage collector sees them in
   * the same commit as the object.
   */
  'ties': (string)[];
  /**
   * Writes of other keys that belong to this one. Promise: they are committed by the same call, and each is checked
   * against the state before the call. The sender gives all of them the same conditions, so that all are committed or
   * none. The outcome is that of this write.
   */
  'joined': (_tidegate_store_v1_Write)[];
}
