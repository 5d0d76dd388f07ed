import type { Closing } from '@tidegate/service-kit';
import type { Key, ReadOutcome } from '@tidegate/wire';

/**
 * What the controllers need from the process that runs them. They import nothing else of it: a process that provides
 * these interfaces can run them.
 */
export interface ControllerPort {
  readonly lease: LeaderLease;
  readonly revisions: RevisionFeed;
  readonly reads: ObjectReader;
  readonly objects: ObjectQueries;
  readonly changes: ChangeQueries;
  readonly garbage: GarbageQueue;
  readonly ownership: OwnershipQueries;
  readonly expired: ExpiredObjects;
  /** wakes the definition controller when this process has written a definition */
  readonly definitionWritten: Wakeup;
}

/** The claim of one process to run the controllers. The clock of the database decides who holds it. */
export interface LeaderLease {
  readonly name: string;
  readonly seconds: number;
  /** Takes or renews the lease. Returns its fence, or undefined while another process holds it. */
  hold(): Promise<number | undefined>;
  release(): Promise<void>;
}

/** The newest revision that this process knows, without a query. */
export interface RevisionFeed {
  readonly revision: number;
  /** Resolves at the next new revision, after the timeout, or when closing is aborted. */
  nextChange(timeoutMs: number, closing: Closing): Promise<void>;
}

export interface Wakeup {
  /** how often it was woken */
  readonly count: number;
  /** Resolves when it is woken, after the timeout, or when closing is aborted. */
  wait(timeoutMs: number, closing: Closing): Promise<void>;
}

export interface ObjectReader {
  read(keys: readonly Key[]): Promise<ReadOutcome[]>;
}

/** Requests to the API, through a gateway. */
export interface Gateway {
  send(method: string, path: string, object?: unknown): Promise<GatewayAnswer>;
  /** A merge patch. */
  patch(path: string, object: unknown): Promise<GatewayAnswer>;
}

export interface GatewayAnswer {
  code: number;
  body: Record<string, unknown>;
}

/** Lists that the API does not offer: keys and counts, across resources. */
export interface ObjectQueries {
  /** The terminating namespaces, or only the one with this name where it is not ''. */
  terminatingNamespaces(name: string): Promise<TerminatingNamespace[]>;
  /** The objects whose namespace no longer exists; of these namespaces, or of all. */
  leftoverContents(namespaces: readonly string[] | undefined): Promise<LeftoverContent[]>;
  /** The names of namespaces that are not being deleted; among these, or all. */
  activeNamespaces(names: readonly string[] | undefined): Promise<string[]>;
  /** The namespaces that have objects of a resource; '' for objects without a namespace. */
  namespacesWith(resource: string): Promise<string[]>;
  keysIn(resource: string, namespace: string, limit: number): Promise<Key[]>;
  keysBeingDeleted(resources: readonly string[]): Promise<Key[]>;
  countIn(namespace: string, resources: readonly string[]): Promise<Map<string, number>>;
}

export interface TerminatingNamespace {
  readonly name: string;
  readonly revision: number;
  readonly contents: readonly NamespaceContent[];
}

export interface NamespaceContent {
  readonly resource: string;
  readonly objects: number;
  /** the objects whose deletion was not requested yet */
  readonly untouched: number;
  /** the revision of the last change of one of them */
  readonly newest: number;
}

export interface LeftoverContent {
  readonly namespace: string;
  readonly resource: string;
  /** the objects whose deletion was not requested yet */
  readonly untouched: number;
}

/** What was written after a revision. One statement reads the head and the log, so no change is missed. */
export interface ChangeQueries {
  keysSince(revision: number, watched: readonly WatchedKeys[]): Promise<Since & { readonly keys: Key[] }>;
  /** Namespaces with quotas, where a quota was written or where objects may have released what a quota limits. */
  quotasSince(revision: number): Promise<Since & { readonly namespaces: QuotaNamespace[] }>;
}

/** All objects of a resource, or those that have one name. */
export interface WatchedKeys {
  readonly resource: string;
  readonly name?: string;
}

/** The answer is complete only where the requested revision is at or above the floor. */
interface Since {
  readonly revision: number;
  readonly floor: number;
}

export interface QuotaNamespace {
  readonly name: string;
  /** objects may have released usage; otherwise only quotas that were never counted are counted */
  readonly hasReleases: boolean;
}

/** The garbage collector's queue of suspects, kept in the database. */
export interface GarbageQueue {
  /** Reads the log and adds suspects. Returns whether there is more of the log to read. */
  note(): Promise<boolean>;
  due(limit: number): Promise<Suspect[]>;
  settle(suspects: readonly Suspect[]): Promise<void>;
  postpone(postponed: readonly PostponedSuspect[]): Promise<void>;
  /** Makes the owner due when no dependent blocks it any more, and its dependents due now. */
  awaitDependents(owner: Suspect, uid: string): Promise<void>;
  dependentsOf(owner: { readonly uid: string; readonly key: Key }, limit: number): Promise<Key[]>;
  count(): Promise<{ all: number; waiting: number }>;
}

/** An object that may be garbage; the garbage collector has yet to examine it. */
export interface Suspect {
  readonly key: Key;
  /** settling a suspect removes this reason and no later one */
  readonly reason: number;
  /** how often it was examined without success */
  readonly attempts: number;
}

export interface PostponedSuspect {
  readonly suspect: Suspect;
  readonly delayMs: number;
}

export interface OwnershipQueries {
  /** For each key the object that exists there, or undefined. */
  owners(keys: readonly Key[]): Promise<Array<OwnerRecord | undefined>>;
  /** For each owner the state of its dependents, or undefined where it has none. */
  dependents(
    owners: ReadonlyArray<{ readonly uid: string; readonly namespace: string }>,
  ): Promise<Array<DependentsState | undefined>>;
}

export interface OwnerRecord {
  readonly uid: string;
  /** it waits until its dependents are deleted */
  readonly waits: boolean;
}

export interface DependentsState {
  readonly exist: boolean;
  /** one of them waits for dependents of its own */
  readonly wait: boolean;
  /** one of them blocks the deletion of the owner */
  readonly block: boolean;
}

export interface ExpiredObjects {
  /** Deletes the objects whose lifetime has ended, under this fence of the lease. Returns how many. */
  deleteExpired(fence: number): Promise<number>;
}
