import { type MatchCondition, metaOf, readCondition } from '@tidegate/kinds';
import { type JsonObject, listOf } from '@tidegate/schema';
import { type ClientConfig, clientConfigOf } from '../callouts/webhook-calls.ts';
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
