import { type MatchCondition, metaOf, readCondition } from '@tidegate/kinds';
import { type JsonObject, listOf } from '@tidegate/schema';
import { type ClientConfig, clientConfigOf } from '../callouts/webhook-calls.ts';
import type { GatewayMetrics } from '../metrics.ts';
import type { RuleTarget } from './attributes.ts';
import { type Matcher, matcherOf } from './matcher.ts';

/** One webhook of a configuration: when and how it is called. */
export interface Hook {
  readonly name: string;
  /** the name of the configuration */
  readonly configuration: string;
  readonly config: ClientConfig;
  /** the version of AdmissionReview that is sent */
  readonly review: 'v1' | 'v1beta1';
  readonly timeoutMs: number;
  /** failurePolicy Ignore: the request continues if the call fails */
  readonly ignoresFailure: boolean;
  /** it may be called for a dry run */
  readonly isHarmless: boolean;
  /** it is called again when a later webhook changed the object */
  readonly reinvoked: boolean;
  readonly matcher: Matcher;
  /** further conditions (CEL) that the request must meet */
  readonly conditions: readonly MatchCondition[];
}

const DEFAULT_TIMEOUT_SECONDS = 10;
const DRY_RUN_SAFE = new Set(['None', 'NoneOnDryRun']);

/** The webhooks of a configuration, in their order. */
export function hooksOf(configuration: JsonObject): Hook[] {
  const { name = '' } = metaOf(configuration);
  return listOf(configuration, 'webhooks').map((webhook) => hookOf(webhook, name));
}

function hookOf(webhook: JsonObject, configuration: string): Hook {
  const { admissionReviewVersions: versions } = webhook;
  const offered = Array.isArray(versions) ? versions : [];
  return {
    name: String(webhook.name),
    configuration,
    config: clientConfigOf(webhook.clientConfig),
    review: offered.find((version) => version === 'v1' || version === 'v1beta1') ?? 'v1',
    timeoutMs: Number(webhook.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000,
    ignoresFailure: webhook.failurePolicy === 'Ignore',
    isHarmless: DRY_RUN_SAFE.has(String(webhook.sideEffects)),
    reinvoked: webhook.reinvocationPolicy === 'IfNeeded',
    matcher: matcherOf(webhook),
    conditions: listOf(webhook, 'matchConditions').map(conditionOf),
  };
}

/** A stored condition that can no longer be compiled fails on each evaluation. */
function conditionOf({ expression }: JsonObject): MatchCondition {
  const condition = readCondition(String(expression));
  return 'problem' in condition ? { expression: String(expression), program: undefined } : condition;
}

/** the highest code that is used as a label value: a webhook may answer any number */
const MAX_CODE_LABEL = 600;
const CALL_FAILED_CODE = 500;

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

/** Counts a webhook call, whatever its result. */
export function countCall(metrics: HookMetrics, called: MatchedHook, { mayPatch, isRejected, seconds }: Call): void {
  const labels = { ...labelsOf(called, mayPatch), operation: called.target.operation, rejected: String(isRejected) };
  metrics.webhookSeconds.labels(labels).observe(seconds);
}

/** Counts a failed webhook call, and whether its failure policy lets the request continue. */
export function countFailure(metrics: HookMetrics, called: MatchedHook, mayPatch: boolean): void {
  const { name, ignoresFailure } = called.hook;
  metrics.webhookFailures.labels({ name }).inc();
  if (ignoresFailure) metrics.webhookFailOpens.labels(labelsOf(called, mayPatch)).inc();
  else countRejection(metrics, called, { mayPatch, error: 'calling_webhook_error', code: CALL_FAILED_CODE });
}

/** Counts a request that was rejected because of a webhook. */
export function countRejection(metrics: HookMetrics, called: MatchedHook, { mayPatch, error, code }: Rejection): void {
  const rejectionCode = String(Math.min(code, MAX_CODE_LABEL));
  const labels = { ...labelsOf(called, mayPatch), operation: called.target.operation };
  metrics.webhookRejections.labels({ ...labels, error_type: error, rejection_code: rejectionCode }).inc();
}

function labelsOf({ hook }: MatchedHook, mayPatch: boolean): { name: string; type: string } {
  return { name: hook.name, type: mayPatch ? 'admit' : 'validating' };
}

/** A webhook that matches a request, and the version of the objects that it receives. */
export interface MatchedHook {
  readonly hook: Hook;
  readonly target: RuleTarget;
}
