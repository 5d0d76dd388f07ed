import type { RequestInfo } from '@tidegate/request-info';
import type { Status } from '@tidegate/status';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RequestNotes } from '../request/resource-request.ts';
import { notedBytes, type RequestMetrics } from '../telemetry/request-metrics.ts';
import { countEnd } from '../telemetry/request-tallies.ts';

interface Opened {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly info: RequestInfo;
}

interface Answered extends Opened {
  readonly notes: RequestNotes;
  readonly code: number;
  /** undefined: the request succeeded, or was rejected before the verb ran */
  readonly failure: Status | undefined;
  readonly isLongRunning: boolean;
}

/** Counts a request when it is answered; a long-running one when it ends. */
export function observe(requestMetrics: RequestMetrics, answered: Answered): void {
  const { request, reply, info, notes, code, failure, isLongRunning } = answered;
  const { raw } = reply;
  const tally = requestMetrics.tallies.of(info, request.headers['content-type']);
  const isTerminated = code === 504 || (code === 429 && failure === undefined);
  const end = () => countEnd(tally, notes, { code, endedMs: performance.now(), bytes: notedBytes(raw), isTerminated });
  if (!isLongRunning || failure !== undefined || raw.destroyed || raw.writableEnded) {
    end();
    return;
  }
  raw.once('close', end);
}

/** Counts a long-running request as open until its answer ends. */
export function observeOpen(requestMetrics: RequestMetrics, { request, reply, info }: Opened): void {
  const { raw } = reply;
  if (raw.destroyed || raw.writableEnded) return;
  const tally = requestMetrics.tallies.of(info, request.headers['content-type']);
  tally.open++;
  raw.once('close', () => {
    tally.open--;
  });
}
