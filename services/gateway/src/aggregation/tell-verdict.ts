import type { Registry } from '@tidegate/kinds';
import { requestInfo } from '@tidegate/request-info';
import { PLAIN } from '../codec/negotiate.ts';
import { IDENTITY } from '../request/answer-form.ts';
import { auditId } from '../request/headers.ts';
import { newNotes, type ResourceRequest } from '../request/resource-request.ts';
import type { ApiService } from './api-service.ts';
import { AGGREGATOR } from './identity-headers.ts';
import { type Verdict, withVerdict } from './verdict.ts';

interface VerdictPorts {
  readonly registry: Pick<Registry, 'find'>;
  /** carries out a PATCH as for any client */
  readonly patch: (request: ResourceRequest) => Promise<unknown>;
}

const PATH = '/apis/apiregistration.k8s.io/v1/apiservices';

/** Writes a verdict into the object that it is about, by the path of every write. An object that has changed refuses it. */
export async function tellVerdict(
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
