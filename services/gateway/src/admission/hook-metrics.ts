import type { GatewayMetrics } from '../metrics.ts';
import type { Called } from './configurations.ts';

/** the highest code that is told as it is: a webhook may answer any number */
const HIGHEST_CODE = 600;
const FAILED_CODE = 500;

export type HookMetrics = Pick<
  GatewayMetrics,
  'webhookFailOpens' | 'webhookFailures' | 'webhookRejections' | 'webhookSeconds'
>;

interface Call {
  readonly mayPatch: boolean;
  readonly isRejected: boolean;
  readonly seconds: number;
}

interface Rejection {
  readonly mayPatch: boolean;
  readonly error: 'no_error' | 'calling_webhook_error';
  readonly code: number;
}

/** Counts a call of a webhook, whatever came of it. */
export function countCall(metrics: HookMetrics, called: Called, { mayPatch, isRejected, seconds }: Call): void {
  const labels = { ...labelsOf(called, mayPatch), operation: called.act.operation, rejected: String(isRejected) };
  metrics.webhookSeconds.labels(labels).observe(seconds);
}

/** Counts a webhook that gave no usable answer, and what its failure policy makes of that. */
export function countFailure(metrics: HookMetrics, called: Called, mayPatch: boolean): void {
  const { name, ignoresFailure } = called.hook;
  metrics.webhookFailures.labels({ name }).inc();
  if (ignoresFailure) metrics.webhookFailOpens.labels(labelsOf(called, mayPatch)).inc();
  else countRejection(metrics, called, { mayPatch, error: 'calling_webhook_error', code: FAILED_CODE });
}

/** Counts a request that does not go on because of a webhook. */
export function countRejection(metrics: HookMetrics, called: Called, { mayPatch, error, code }: Rejection): void {
  const rejectionCode = String(Math.min(code, HIGHEST_CODE));
  const labels = { ...labelsOf(called, mayPatch), operation: called.act.operation };
  metrics.webhookRejections.labels({ ...labels, error_type: error, rejection_code: rejectionCode }).inc();
}

function labelsOf({ hook }: Called, mayPatch: boolean): { name: string; type: string } {
  return { name: hook.name, type: mayPatch ? 'admit' : 'validating' };
}
