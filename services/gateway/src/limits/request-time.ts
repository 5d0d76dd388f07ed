import type { ServerResponse } from 'node:http';
import { constants, type Http2Stream } from 'node:http2';
import type { RequestInfo } from '@tidegate/request-info';
import { badRequest, timeout } from '@tidegate/status';
import { durationMs } from '../configuration/duration.ts';

/** What a timer of Node can wait for. */
const LONGEST_MS = 2 ** 31 - 1;

/** How long a request may take: as long as its client gives it, and no longer than it may. */
export function timeOf({ query }: RequestInfo, longestMs: number): number {
  const text = query.get('timeout') ?? '';
  if (text === '') return longestMs;
  const asked = durationMs(text);
  if (asked === undefined) {
    const why = /^[+-]?[\d.]+$/.test(text) ? 'missing unit in duration' : 'invalid duration';
    throw badRequest(`invalid timeout specified in the request URL - time: ${why} ${JSON.stringify(text)}`);
  }
  // no time at all is what programs say that mean no limit
  return asked > 0 ? Math.min(asked, longestMs) : longestMs;
}

/**
 * Serves a request within its time. An answer that has not begun by then is another one; one that has is broken off. What
 * was begun for it goes on unheard, and keeps its seats: a write that is under way is done or not.
 */
export async function inTime(raw: ServerResponse, timeMs: number, serve: () => Promise<number>): Promise<number> {
  // not to be measured by a timer
  if (timeMs < 1) throw timeout();
  const { promise: late, reject } = Promise.withResolvers<number>();
  const timer = setTimeout(() => reject(timeout()), Math.min(timeMs, LONGEST_MS));
  const served = serve();
  try {
    return await Promise.race([served, late]);
  } catch (error) {
    // its client has been answered already, and what it fails with is a consequence of that
    served.catch(() => {});
    if (raw.headersSent && !raw.writableEnded) breakOff(raw);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** So that nobody takes what they got for the whole. */
function breakOff(raw: ServerResponse & { stream?: Http2Stream }): void {
  raw.stream?.close(constants.NGHTTP2_CANCEL);
  raw.destroy();
}
