import type { Collection } from '@tidegate/collection';
import type { RequestInfo } from '@tidegate/request-info';

/** The largest number of seats of one request. */
const MOST_SEATS = 10;
/** A list takes one seat for so many bytes. */
const BYTES_PER_SEAT = 100_000;
/** A write takes one seat for so many watches of its collection, whose events are about the work of a request. */
const WATCHERS_PER_SEAT = 100;
/** A write takes one seat for so many bytes of the body and of the current object, which are decoded, validated and encoded. */
const WRITTEN_BYTES_PER_SEAT = 300_000;
const READS = new Set(['get', 'head', 'options']);

export interface Known {
  /** the mirrored collection, if there is one */
  collection(resource: string): Collection | undefined;
  watchers(resource: string): number;
}

/**
 * The number of seats of a request: for lists by the size of the result, for writes by the size of the body and of the
 * mirrored object, and by the number of watches that get the event.
 */
export function seatsFor(info: RequestInfo, known: Known, bodyBytes = 0): number {
  if (!info.isResource || READS.has(info.verb)) return 1;
  const resource = info.group === '' ? info.resource : `${info.resource}.${info.group}`;
  if (info.verb === 'list') return listSeats(info, known.collection(resource));
  if (info.verb === 'watch') return startsWithState(info) ? listSeats(info, known.collection(resource)) : 1;
  const there = info.name === '' ? undefined : known.collection(resource)?.get(info.namespace, info.name);
  const bytes = bodyBytes + (there?.size ?? 0);
  return bounded(Math.max(known.watchers(resource) / WATCHERS_PER_SEAT, bytes / WRITTEN_BYTES_PER_SEAT));
}

function startsWithState({ query }: RequestInfo): boolean {
  const version = query.get('resourceVersion') ?? '';
  return version === '' || version === '0' || query.get('sendInitialEvents') === 'true';
}

function listSeats({ query, name }: RequestInfo, collection: Collection | undefined): number {
  // an unmirrored collection is loaded once, for all requests
  if (collection === undefined || collection.size === 0 || name !== '') return 1;
  const limit = Number(query.get('limit') ?? '');
  const part = limit > 0 ? Math.min(1, limit / collection.size) : 1;
  return bounded((collection.stateBytes * part) / BYTES_PER_SEAT);
}

function bounded(seats: number): number {
  return Math.min(MOST_SEATS, Math.max(1, Math.ceil(seats)));
}
