import { type MatchCondition, metaOf, readCondition } from '@tidegate/kinds';
import { type JsonObject, listOf } from '@tidegate/schema';
import { type ClientConfig, clientConfigOf } from '../callouts/webhook-calls.ts';
import type { GatewayMetrics } from '../metrics.ts';
import type { Act } from './act.ts';
import { type Matcher, matcherOf } from './matcher.ts';

/** One webhook of a configuration: what it wants to be asked about, and how. */
export interface Hook {
  readonly name: string;
  /** where it stands */
  readonly configuration: string;
  readonly config: ClientConfig;
  /** the version in which it is asked, of those that it knows */
  readonly review: 'v1' | 'v1beta1';
  readonly timeoutMs: number;
  /** what it does not answer is let through */
  readonly ignoresFailure: boolean;
  /** a dry run may ask it */
  readonly isHarmless: boolean;
  /** asked again when others changed the object after it */
  readonly reinvoked: boolean;
  readonly matcher: Matcher;
  /** what else must hold of the request */
  readonly conditions: readonly MatchCondition[];
}

const USUAL_SECONDS = 10;
const HARMLESS = new Set(['None', 'NoneOnDryRun']);

/** The webhooks of a configuration, in their order. */
export function hooksOf(configuration: JsonObject): Hook[] {
  const { name = '' } = metaOf(configuration);
  return listOf(configuration, 'webhooks').map((webhook) => hookOf(webhook, name));
}

function hookOf(webhook: JsonObject, configuration: string): Hook {
  const { admissionReviewVersions: versions } = webhook;
  const known = Array.isArray(versions) ? versions : [];
  return {
    name: String(webhook.name),
    configuration,
    config: clientConfigOf(webhook.clientConfig),
    review: known.find((version) => version === 'v1' || version === 'v1beta1') ?? 'v1',
    timeoutMs: Number(webhook.timeoutSeconds ?? USUAL_SECONDS) * 1000,
    ignoresFailure: webhook.failurePolicy === 'Ignore',
    isHarmless: HARMLESS.has(String(webhook.sideEffects)),
    reinvoked: webhook.reinvocationPolicy === 'IfNeeded',
    matcher: matcherOf(webhook),
    conditions: listOf(webhook, 'matchConditions').map(conditionOf),
  };
}

/** One that was written under other rules, and cannot be read any more, fails whenever it is looked at. */
function conditionOf({ expression }: JsonObject): MatchCondition {
  const read = readCondition(String(expression));
  return 'problem' in read ? { expression: String(expression), program: undefined } : read;
}

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

/** A webhook to be called, and the version of the objects that it sees. */
export interface Called {
  readonly hook: Hook;
  readonly act: Act;
}
