import type { ServerResponse } from 'node:http';
import { constants, type Http2Stream } from 'node:http2';
import type { RequestInfo } from '@tidegate/request-info';
import { badRequest, timeout } from '@tidegate/status';
import { durationMs } from '../configuration/duration.ts';

/** The longest time of a timer in Node. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The timeout of a request: the client's, but at most the server's. */
export function timeOf({ query }: RequestInfo, longestMs: number): number {
  const text = query.get('timeout') ?? '';
  if (text === '') return longestMs;
  const requested = durationMs(text);
  if (requested === undefined) {
    const why = /^[+-]?[\d.]+$/.test(text) ? 'missing unit in duration' : 'invalid duration';
    throw badRequest(`invalid timeout specified in the request URL - time: ${why} ${JSON.stringify(text)}`);
  }
  // clients send 0 to mean no limit
  return requested > 0 ? Math.min(requested, longestMs) : longestMs;
}

/**
 * Serves a request within its timeout. After the timeout, an answer that has not begun becomes 504, and one that has
 * begun is aborted. The work of the request continues and keeps its seats: a write in progress is executed or not.
 */
export async function inTime(raw: ServerResponse, timeMs: number, serve: () => Promise<number>): Promise<number> {
  // too long for a timer
  if (timeMs < 1) throw timeout();
  const { promise: late, reject } = Promise.withResolvers<number>();
  const timer = setTimeout(() => reject(timeout()), Math.min(timeMs, MAX_TIMER_MS));
  const served = serve();
  try {
    return await Promise.race([served, late]);
  } catch (error) {
    // the client was already answered, and this failure is a consequence of that
    served.catch(() => {});
    if (raw.headersSent && !raw.writableEnded) abort(raw);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Aborts the connection, so that the client does not take the part for the whole answer. */
function abort(raw: ServerResponse & { stream?: Http2Stream }): void {
  raw.stream?.close(constants.NGHTTP2_CANCEL);
  raw.destroy();
}
