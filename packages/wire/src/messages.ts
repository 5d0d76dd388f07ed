/** The messages of proto/ as TypeScript sees them. Absent fields read as their defaults. */

export interface Key {
  resource: string;
  namespace: string;
  name: string;
}

export interface StoredObject {
  key: Key;
  revision: number;
  value: Uint8Array;
  splice: number;
  selection: Uint8Array;
  uid: string;
  deleting: boolean;
  corrupt: string;
  stale: boolean;
}

export const guardKind = { live: 0, namespaceEmpty: 1, fence: 2, unclaimed: 3, atRevision: 4 } as const;
export interface Guard {
  kind: (typeof guardKind)[keyof typeof guardKind];
  key: Key;
  fence?: number;
}

export const writeKind = { create: 0, update: 1, delete: 2 } as const;
export type WriteKind = (typeof writeKind)[keyof typeof writeKind];

export interface Write {
  kind: WriteKind;
  key: Key;
  operationId: Uint8Array;
  expectedRevision?: number;
  expectedUid?: string;
  value?: Uint8Array;
  splice?: number;
  selection?: Uint8Array;
  uid?: string;
  deleting?: boolean;
  guards?: Guard[];
  traceparent?: string;
  sentAfter?: number;
  lifetimeSeconds?: number;
  claims?: string[];
  ties?: string[];
  joined?: Write[];
}

export const outcomeKind = {
  committed: 0,
  notFound: 1,
  alreadyExists: 2,
  conflict: 3,
  uidMismatch: 4,
  guardFailed: 5,
  refused: 6,
  unavailable: 7,
  unknown: 8,
} as const;
export type OutcomeKind = (typeof outcomeKind)[keyof typeof outcomeKind];

export interface WriteOutcome {
  kind: OutcomeKind;
  revision: number;
  currentUid: string;
  guard: number;
  deleting: boolean;
  message: string;
}

export interface ReadOutcome {
  found: boolean;
  object: StoredObject | null;
  again?: boolean;
}

export interface SessionRequest {
  id: number;
  reads?: Key[];
  writes?: Write[];
  head?: boolean;
}

export interface SessionResponse {
  id: number;
  reads: ReadOutcome[];
  writes: WriteOutcome[];
  revision: number;
  error: Uint8Array;
  busTrouble?: string;
}

export interface ListRequest {
  resource?: string;
  namespace?: string;
  revision?: number;
  afterNamespace?: string;
  afterName?: string;
  limit?: number;
  countRest?: boolean;
}

export interface ListPage {
  revision: number;
  epoch: number;
  objects: StoredObject[];
  remaining: number;
}

export interface Change {
  kind: WriteKind;
  key: Key;
  revision: number;
  previousRevision: number;
  value: Uint8Array;
  splice: number;
  selection: Uint8Array;
  uid: string;
  deleting: boolean;
  traceparent: string;
  byReference: boolean;
  corrupt: string;
}

export interface LogBatch {
  epoch: number;
  first: number;
  last: number;
  changes: Change[];
  committedAtMs?: number;
}

export interface ReadLogRequest {
  after: number;
  through?: number;
  resource?: string;
}

export interface FollowLogRequest {
  after: number;
}

export interface DeleteCorruptRequest {
  key: Key;
  operationId: Uint8Array;
  traceparent?: string;
}

export const deleteCorruptKind = { deleted: 0, notFound: 1, readable: 2 } as const;
export interface DeleteCorruptResponse {
  kind: (typeof deleteCorruptKind)[keyof typeof deleteCorruptKind];
  revision: number;
  uid: string;
}

export interface DigestResponse {
  revision: number;
  epoch: number;
  digests: CollectionDigest[];
}

export interface CollectionDigest {
  resource: string;
  count: number;
  lowSum: number;
  highSum: number;
  lowXor: number;
  highXor: number;
}

export interface HeadResponse {
  revision: number;
  floor: number;
  epoch: number;
}

export interface FollowRequest {
  open?: string[];
  close?: string[];
  waitFor?: number;
}

export interface Opening {
  resource: string;
  history?: HistoricChange[];
  segments?: Segment[];
  corrupt?: CorruptObject[];
  opened?: boolean;
  revision?: number;
  floor?: number;
  holes?: Hole[];
}

export interface Hole {
  lastSurviving: number;
  firstNew: number;
}

export interface Segment {
  json: Uint8Array;
  items: SegmentItem[];
}

export interface SegmentItem {
  namespace: string;
  name: string;
  revision: number;
  uid: string;
  size: number;
  splice: number;
  selection: Uint8Array;
  deleting: boolean;
}

export interface CorruptObject {
  namespace: string;
  name: string;
  revision: number;
  why: string;
}

export interface HistoricChange {
  change?: Change | null;
  before?: StoredObject | null;
  toState?: ChangeToState | null;
}

export interface ChangeToState {
  kind: WriteKind;
  revision: number;
  previousRevision: number;
}

export interface FollowResponse {
  opening?: Opening | null;
  changes?: Change[];
  through?: number;
  epoch?: number;
  sizes?: CollectionSize[];
  committedAtMs?: number;
}

export interface CollectionSize {
  resource: string;
  bytes: number;
}

export interface CollectionListRequest {
  resource: string;
  namespace: string;
  afterNamespace: string;
  afterName: string;
  limit: number;
  revision: number;
  exact: boolean;
  heads: boolean;
  typeless: boolean;
}

export interface ListPart {
  revision?: number;
  corrupt?: CorruptObject[];
  segment?: Segment | null;
  count?: number;
  lastNamespace?: string;
  lastName?: string;
  remaining?: number;
}

/** what a part says of one of its checks */
export interface CheckMessage {
  name: string;
  ok: boolean;
  message: string;
  required: boolean;
  /** liveness lists it, and passes it */
  onLivez: boolean;
  live: boolean;
}

export interface ChecksResponse {
  part: string;
  instance: string;
  checks: CheckMessage[];
  stopping: boolean;
  revision: number;
  /** null: from a part that does not tell it yet */
  load?: LoadMessage | null;
}

export interface LoadMessage {
  requestsPerSecond: number;
  loopDelayMs: number;
  residentBytes: number;
  watchers: number;
  hasLag: boolean;
  lagMs: number;
  uptimeSeconds: number;
}

export const servingStatus = { unknown: 0, serving: 1, notServing: 2, serviceUnknown: 3 } as const;

export interface HealthCheckRequest {
  service: string;
}

export interface HealthCheckResponse {
  status: number;
}
