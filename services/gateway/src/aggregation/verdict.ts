import type { Registry } from '@tidegate/kinds';
import { requestInfo } from '@tidegate/request-info';
import { type JsonObject, printTime } from '@tidegate/schema';
import { PLAIN } from '../codec/negotiate.ts';
import { IDENTITY } from '../request/answer-form.ts';
import { auditId } from '../request/headers.ts';
import { newNotes, type ResourceRequest } from '../request/resource-request.ts';
import type { ApiService } from './api-service.ts';
import { AGGREGATOR } from './identity-headers.ts';

/** The result of an availability check: the content of the condition `Available`. */
export interface Verdict {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

export const PASSED: Verdict = { status: 'True', reason: 'Passed', message: 'all checks passed' };

export function unavailable(reason: string, message: string): Verdict {
  return { status: 'False', reason, message };
}

export function hasVerdict(condition: JsonObject | undefined, { status, reason, message }: Verdict): boolean {
  return condition?.status === status && condition.reason === reason && condition.message === message;
}

/** The conditions with this one set; its transition time changes only with its status. */
export function withVerdict(conditions: readonly JsonObject[], verdict: Verdict, now = printTime()): JsonObject[] {
  const before = conditions.find(({ type }) => type === 'Available');
  const since = before?.status === verdict.status ? (before.lastTransitionTime ?? now) : now;
  const next = { type: 'Available', ...verdict, lastTransitionTime: since };
  if (before === undefined) return [...conditions, next];
  return conditions.map((one) => (one === before ? next : one));
}

interface VerdictPorts {
  readonly registry: Pick<Registry, 'find'>;
  /** executes a PATCH as for any client */
  readonly patch: (request: ResourceRequest) => Promise<unknown>;
}

const PATH = '/apis/apiregistration.k8s.io/v1/apiservices';

/** Writes a verdict into its APIService by an ordinary PATCH, which fails when the object has changed. */
export async function writeVerdict(
  { registry, patch }: VerdictPorts,
  apiService: ApiService,
  verdict: Verdict,
): Promise<void> {
  const info = requestInfo('PATCH', `${PATH}/${apiService.name}/status`);
  const kind = registry.find('apiregistration.k8s.io', 'v1', 'apiservices');
  if (info === undefined || kind === undefined) throw new Error('APIServices are not served');
  const metadata = { resourceVersion: apiService.resourceVersion };
  const body = { metadata, status: { conditions: withVerdict(apiService.conditions, verdict) } };
  await patch({
    info,
    kind,
    user: AGGREGATOR,
    auditId: auditId(undefined),
    userAgent: 'tidegate-gateway',
    contentType: 'application/merge-patch+json',
    accepted: PLAIN,
    coding: IDENTITY,
    body: Buffer.from(JSON.stringify(body)),
    steps: undefined,
    span: undefined,
    fence: undefined,
    warnings: [],
    record: undefined,
    conversions: undefined,
    notes: newNotes(),
  });
}
