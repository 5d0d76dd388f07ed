import type { Collection } from '@tidegate/collection';
import type { RequestInfo } from '@tidegate/request-info';

/** No request is wider. */
const MOST_SEATS = 10;
/** A list of so many bytes takes a seat. */
const BYTES_PER_SEAT = 100_000;
/** What a write costs by those who watch its collection: so many of them are about the work of another request. */
const WATCHERS_PER_SEAT = 100;
/** So many bytes of a body, or of the object that is changed, take a seat: they are read, judged and written again. */
const WRITTEN_BYTES_PER_SEAT = 300_000;
const READS = new Set(['get', 'head', 'options']);

export interface Known {
  /** what is known here of a collection, at no cost */
  collection(resource: string): Collection | undefined;
  watchers(resource: string): number;
}

/**
 * How many seats a request takes: lists by what they show, writes by what they bring, by what is there already, where that
 * is known, and by how many are to be told.
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
  // a collection that is not known yet is brought here once, for all who ask
  if (collection === undefined || collection.size === 0 || name !== '') return 1;
  const limit = Number(query.get('limit') ?? '');
  const part = limit > 0 ? Math.min(1, limit / collection.size) : 1;
  return bounded((collection.stateBytes * part) / BYTES_PER_SEAT);
}

function bounded(seats: number): number {
  return Math.min(MOST_SEATS, Math.max(1, Math.ceil(seats)));
}
