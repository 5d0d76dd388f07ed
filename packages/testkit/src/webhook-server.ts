import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { conversionResponse } from './conversion-response.ts';
import { serverPair } from './server-pair.ts';

// biome-ignore lint/suspicious/noExplicitAny: reviews can be of any kind
type Review = any;

export interface TestWebhooks {
  readonly url: string;
  /** the certificate of its authority, in base64 */
  readonly caBundle: string;
  /** the requests of the reviews since the last call */
  reviews(): Review[];
  stop(): Promise<void>;
}

interface Answer {
  readonly code?: number;
  readonly type?: string;
  readonly body: unknown;
}

type Behaviour = (review: Review) => Answer | undefined;

function respondWith(response: object, other: object = {}): Behaviour {
  return ({ apiVersion, request: { uid } }) => ({
    body: { kind: 'AdmissionReview', apiVersion, response: { uid, ...response }, ...other },
  });
}

function patches(operations: unknown, patchType = 'JSONPatch'): Behaviour {
  const patch = Buffer.from(typeof operations === 'string' ? operations : JSON.stringify(operations)).toString(
    'base64',
  );
  return respondWith({ allowed: true, patch, ...(patchType === '' ? {} : { patchType }) });
}

/** The response for each path; undefined: no response. */
const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  allow: respondWith({ allowed: true }),
  warn: respondWith({ allowed: true, warnings: ['be careful', 'and "quiet"'], auditAnnotations: { a: 'b' } }),
  deny: respondWith({ allowed: false }),
  'deny-with-message': respondWith({ allowed: false, status: { message: 'no way', code: 418, reason: 'Because' } }),
  'deny-with-reason': respondWith({ allowed: false, status: { reason: 'Forbidden' } }),
  'deny-with-success': respondWith({
    allowed: false,
    status: { status: 'Success', message: 'all is well', code: 200 },
  }),
  'deny-with-causes': respondWith({
    allowed: false,
    status: { message: 'm', details: { causes: [{ field: 'spec.a' }] } },
  }),
  'deny-and-warn': respondWith({ allowed: false, warnings: ['told anyway'], status: { message: 'm' } }),
  'says-nothing': respondWith({}),
  'another-uid': respondWith({ allowed: true, uid: 'another' }),
  'another-version': respondWith({ allowed: true }, { apiVersion: 'admission.k8s.io/v9' }),
  'another-kind': respondWith({ allowed: true }, { kind: 'Review' }),
  'no-response': ({ apiVersion }) => ({ body: { kind: 'AdmissionReview', apiVersion } }),
  'no-json': () => ({ type: 'text/html', body: '<html>' }),
  'no-review': () => ({ body: {} }),
  'code-500': () => ({ code: 500, type: 'text/plain', body: 'oops' }),
  'code-404': () => ({ code: 404, type: 'text/plain', body: 'nope' }),
  convert: (review) => {
    const body = conversionResponse(review);
    return body === undefined ? undefined : { body };
  },
  status: () => ({
    code: 403,
    body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'go away', reason: 'Forbidden', code: 403 },
  }),
  silence: () => undefined,
  label: patches([{ op: 'add', path: '/metadata/labels/hooked', value: 'yes' }]),
  'patch-nothing': patches([]),
  'patch-no-json': patches('nope'),
  'patch-no-list': patches({}),
  'patch-missing': patches([{ op: 'remove', path: '/nothing/here' }]),
  'patch-test': patches([{ op: 'test', path: '/data/k', value: 'other' }]),
  'patch-no-type': patches([{ op: 'add', path: '/data', value: {} }], ''),
  'patch-other-type': patches([{ op: 'add', path: '/data', value: {} }], 'Merge'),
  'patch-unknown': patches([
    { op: 'add', path: '/metadata/foo', value: 1 },
    { op: 'add', path: '/bar', value: 1 },
  ]),
  'patch-mistyped': patches([{ op: 'add', path: '/data', value: 'text' }]),
  'patch-name': patches([{ op: 'replace', path: '/metadata/name', value: 'renamed' }]),
  'patch-namespace': patches([{ op: 'replace', path: '/metadata/namespace', value: 'kube-public' }]),
  'patch-invalid': patches([{ op: 'add', path: '/metadata/labels/x', value: 'bad value!' }]),
  'patch-owners': patches([{ op: 'add', path: '/metadata/managedFields', value: [] }]),
  'deny-and-patch': ({ apiVersion, request: { uid } }) => ({
    body: {
      kind: 'AdmissionReview',
      apiVersion,
      response: { uid, allowed: false, patchType: 'JSONPatch', patch: 'W10=' },
    },
  }),
  'replicas-7': patches([{ op: 'add', path: '/spec/replicas', value: 7 }]),
  count: (review) => {
    const { trace = '' } = review.request.object.metadata.annotations ?? {};
    return patches([{ op: 'add', path: '/metadata/annotations', value: { trace: `${trace}${review.at} ` } }])(review);
  },
};

/**
 * Starts a server of admission and conversion webhooks. The first segment of a path selects the response; the second
 * one distinguishes webhooks with the same response.
 */
export async function startWebhooks(): Promise<TestWebhooks> {
  const { ca, ...pair } = await serverPair(['127.0.0.1', 'hooks.default.svc']);
  let reviews: Review[] = [];
  const server = createServer(pair, (request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const [, what = '', at = ''] = URL.parse(request.url ?? '', 'https://x')?.pathname.split('/') ?? [];
      const review = JSON.parse(Buffer.concat(parts).toString());
      const { uid: _, ...reviewRequest } = review.request;
      reviews.push({ to: `${what}${at}`, review: review.apiVersion, ...reviewRequest });
      const answer = BEHAVIOURS[what]?.({ ...review, at });
      if (answer === undefined) return;
      const { code = 200, type = 'application/json', body } = answer;
      response.writeHead(code, { 'Content-Type': type }).end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    caBundle: Buffer.from(ca).toString('base64'),
    reviews: () => {
      const seen = reviews;
      reviews = [];
      return seen;
    },
    stop: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
