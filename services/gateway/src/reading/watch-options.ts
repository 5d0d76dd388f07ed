import type { FeatureGates } from '@tidegate/feature-gates';
import type { RequestInfo } from '@tidegate/request-info';
import { parseResourceVersion, type Revision } from '@tidegate/revision';
import { badRequest, type FieldError, forbiddenField, invalid, notSupported } from '@tidegate/status';
import type { User } from '../request/user.ts';

export interface WatchOptions {
  /** undefined: start at the most recent state, and send that state first */
  after: Revision | undefined;
  /** whether and which state is sent first, as synthetic ADDED events */
  initialEvents: 'none' | 'any' | 'most recent' | 'not older than';
  /** an annotated bookmark marks their end, if bookmarks are requested */
  marksInitialEnd: boolean;
  bookmarks: boolean;
  timeoutMs: number;
}

const refuse = (errors: FieldError[]) => invalid({ group: 'meta.k8s.io', kind: 'ListOptions', name: '' }, errors);
const MATCH = 'resourceVersionMatch';

/** The longest delay of a Node timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

interface WatchTime {
  /** the minimum duration of a watch without a timeout */
  readonly shortestMs?: number;
  readonly random?: () => number;
}

/** Which events a watch begins with, by the table in section 8 of the spec. */
export function watchOptions(
  info: RequestInfo,
  gates: Pick<FeatureGates, 'enabled'>,
  { shortestMs = 1_800_000, random = Math.random }: WatchTime = {},
): WatchOptions {
  const { query } = info;
  const version = query.get('resourceVersion') ?? '';
  const bookmarks = query.flag('allowWatchBookmarks');
  const sendInitialEvents = query.get('sendInitialEvents') === undefined ? undefined : query.flag('sendInitialEvents');
  const marksInitialEnd = gates.enabled('WatchList');
  refuseCombination(sendInitialEvents, query.get(MATCH) ?? '', marksInitialEnd);
  const timeoutMs = timeoutOf(query.count('timeoutSeconds'), shortestMs * (1 + random()));
  if (version === '' || version === '0') {
    const state = version === '' || sendInitialEvents === true ? 'most recent' : 'any';
    const wanted = sendInitialEvents ?? true;
    return {
      after: undefined,
      initialEvents: wanted ? (version === '0' ? 'any' : state) : 'none',
      marksInitialEnd,
      bookmarks,
      timeoutMs,
    };
  }
  const after = parseResourceVersion(version);
  if (after === undefined)
    throw badRequest(
      `invalid resource version: ${JSON.stringify(version)} is not a valid resourceVersion of this server`,
    );
  const initialEvents = sendInitialEvents ? 'not older than' : 'none';
  return { after, initialEvents, marksInitialEnd, bookmarks, timeoutMs };
}

function refuseCombination(sendInitialEvents: boolean | undefined, match: string, watchList: boolean): void {
  const errors: FieldError[] = [];
  if (sendInitialEvents !== undefined) {
    if (match !== 'NotOlderThan') {
      errors.push(forbiddenField(MATCH, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
    }
    if (!watchList) {
      const words = 'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled';
      errors.push(forbiddenField('sendInitialEvents', words));
    }
  } else if (match !== '') {
    const words = 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided';
    errors.push(forbiddenField(MATCH, words));
  }
  if (match !== '' && match !== 'NotOlderThan') errors.push(notSupported(MATCH, match, ['NotOlderThan']));
  if (errors.length > 0) throw refuse(errors);
}

/** The requested time, else the default or up to twice as long, so that clients do not all reconnect at once. */
function timeoutOf(seconds: number | undefined, defaultMs: number): number {
  if (seconds === undefined || seconds === 0) return Math.min(defaultMs, MAX_TIMER_MS);
  if (seconds > 0) return Math.min(seconds * 1000, MAX_TIMER_MS);
  throw badRequest(
    `invalid value ${JSON.stringify(String(seconds))} of the query parameter timeoutSeconds: use a number of seconds`,
  );
}

/** The time for a watch: it must end when the credential of its user expires. */
export function timeUntilExpiry({ until }: Pick<User, 'until'>, timeoutMs: number, now = Date.now()): number {
  return until === undefined ? timeoutMs : Math.max(0, Math.min(timeoutMs, until - now));
}
