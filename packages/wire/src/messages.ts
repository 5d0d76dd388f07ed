import type * as probes from './generated/grpc.health.v1.ts';
import type * as health from './generated/tidegate.health.v1.ts';
import type * as store from './generated/tidegate.store.v1.ts';
import type * as watch from './generated/tidegate.watch.v1.ts';

/**
 * The messages of proto/, under the names that services import. Their fields come from `generated/`. What is added
 * here: which fields a sender may leave out (absent fields read as their defaults), that a `key` is always sent, and
 * that bytes may be any Uint8Array.
 */
type Fields<T> = { [Name in keyof T]: T[Name] extends Buffer ? Uint8Array : T[Name] };

/** A message whose fields are all sent. `Inner` names the fields that hold messages of this file. */
type Whole<T, Inner = object> = Omit<Fields<T>, keyof Inner> & Inner;

/** A message of which only the fields `Sent` are always sent. */
type Partly<T, Sent extends keyof T, Inner = object> = Pick<Whole<T, Inner>, Sent & keyof Whole<T, Inner>> &
  Partial<Omit<Whole<T, Inner>, Sent>>;

export type Key = store.Key;
export interface StoredObject extends Whole<store.StoredObject, { key: Key }> {}
export interface Guard extends Partly<store.Guard, 'kind' | 'key', { key: Key }> {}
export type WriteKind = Write['kind'];
export interface Write
  extends Partly<store.Write, 'kind' | 'key' | 'operationId', { key: Key; guards: Guard[]; joined: Write[] }> {}
export type OutcomeKind = WriteOutcome['kind'];
export type WriteOutcome = store.WriteOutcome;
export interface ReadOutcome extends Partly<store.ReadOutcome, 'found' | 'object', { object: StoredObject | null }> {}
export interface SessionRequest extends Partly<store.SessionRequest, 'id', { reads: Key[]; writes: Write[] }> {}
export interface SessionResponse
  extends Partly<
    store.SessionResponse,
    'id' | 'reads' | 'writes' | 'revision' | 'error',
    { reads: ReadOutcome[]; writes: WriteOutcome[] }
  > {}

export type ListRequest = Partial<store.ListRequest>;
export interface ListPage extends Whole<store.ListPage, { objects: StoredObject[] }> {}
export interface Change extends Whole<store.Change, { key: Key }> {}
export interface LogBatch
  extends Partly<store.LogBatch, 'epoch' | 'first' | 'last' | 'changes', { changes: Change[] }> {}
export interface ReadLogRequest extends Partly<store.ReadLogRequest, 'after'> {}
export type FollowLogRequest = store.FollowLogRequest;
export interface DeleteCorruptRequest extends Partly<store.DeleteCorruptRequest, 'key' | 'operationId', { key: Key }> {}
export type DeleteCorruptResponse = store.DeleteCorruptResponse;
export type CollectionDigest = store.CollectionDigest;
export type DigestResponse = store.DigestResponse;
export type HeadResponse = store.HeadResponse;

export type FollowRequest = Partial<watch.FollowRequest>;
export interface FollowResponse
  extends Partial<Whole<watch.FollowResponse, { opening: Opening | null; changes: Change[] }>> {}
export type CollectionSize = watch.CollectionSize;
export interface Opening
  extends Partly<watch.Opening, 'resource', { segments: Segment[]; history: HistoricChange[] }> {}
export interface HistoricChange
  extends Partial<Whole<watch.HistoricChange, { change: Change | null; before: StoredObject | null }>> {}
export type ChangeToState = watch.ChangeToState;
export type Hole = watch.Hole;
export interface Segment extends Whole<watch.Segment, { items: SegmentItem[] }> {}
export interface SegmentItem extends Whole<watch.SegmentItem> {}
export type CorruptObject = watch.CorruptObject;
/** the ListRequest of the watch service */
export type CollectionListRequest = watch.ListRequest;
export interface ListPart extends Partial<Whole<watch.ListPart, { segment: Segment | null }>> {}

export type CheckMessage = health.Check;
/** `load` is null where an older part has sent it */
export interface ChecksResponse extends Partly<health.ChecksResponse, Exclude<keyof health.ChecksResponse, 'load'>> {}
export type LoadMessage = health.Load;

export type HealthCheckRequest = probes.HealthCheckRequest;
export type HealthCheckResponse = probes.HealthCheckResponse;
