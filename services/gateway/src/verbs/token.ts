import { metaOf } from '@tidegate/kinds';
import { isJsonObject, type JsonObject } from '@tidegate/schema';
import { ApiError, badRequest, conflict, invalid, invalidValue, resourceNotFound } from '@tidegate/status';
import type { Admission } from '../admission/admission.ts';
import type { ServiceAccounts, TokenSubject } from '../authn/service-accounts.ts';
import { objectAnswer } from '../codec/answer.ts';
import type { Objects } from '../objects/objects.ts';
import type { ResourceRequest, VerbHandler, Verbs } from '../request/resource-request.ts';
import { isDryRun } from '../request/write-options.ts';
import { admitBody } from '../writing/admit-object.ts';
import { asSubresource } from './subresources.ts';

const MIN_SECONDS = 600;
const DEFAULT_SECONDS = 3600;
const MAX_SECONDS = 2 ** 32;
const GROUP = 'authentication.k8s.io';
/** kinds of the core group */
const BINDABLE: ReadonlyMap<string, string> = new Map([
  ['Pod', 'pods'],
  ['Secret', 'secrets'],
  ['Node', 'nodes'],
]);

interface TokenPorts {
  /** undefined where the server has no key for their tokens */
  readonly serviceAccounts: ServiceAccounts | undefined;
  readonly objects: Pick<Objects, 'core'>;
  readonly admission: Pick<Admission, 'admitCreation'>;
}

/** POST to serviceaccounts/NAME/token: issues a token for this account. */
const create =
  (ports: TokenPorts): VerbHandler =>
  async (request) => {
    const { serviceAccounts } = ports;
    if (serviceAccounts === undefined) throw resourceNotFound();
    const own = asSubresource(request);
    const sent = admitBody(own);
    const { namespace, name } = request.info;
    const { uid = '' } = await metaIn(ports, request, 'serviceaccounts');
    const { uid: wanted } = metaOf(sent);
    if (wanted && wanted !== uid) {
      const why = `the UID in the token request (${wanted}) does not match the UID of the service account (${uid})`;
      throw conflict({ group: GROUP, resource: 'TokenRequest' }, name, why);
    }
    Object.assign(metaOf(sent), { name, namespace, uid, creationTimestamp: wholeSeconds(new Date()) });
    const object = await ports.admission.admitCreation(own, sent);
    const spec = isJsonObject(object.spec) ? object.spec : {};
    const requested = Array.isArray(spec.audiences) ? spec.audiences.map(String) : [];
    const audiences = requested.length > 0 ? requested : [...serviceAccounts.audiences];
    const seconds = withinLimit(serviceAccounts, request, secondsOf(spec));
    const bound = isJsonObject(spec.boundObjectRef) ? await boundTo(ports, request, spec.boundObjectRef) : {};
    const subject = { namespace, serviceaccount: { name, uid }, ...bound };
    // a dry run issues no valid token
    const { token, expiresAt } = isDryRun(request)
      ? { token: '', expiresAt: new Date(Date.now() + seconds * 1000) }
      : serviceAccounts.issue(subject, { audiences, seconds });
    object.spec = { ...spec, audiences, expirationSeconds: seconds };
    object.status = { token, expirationTimestamp: wholeSeconds(expiresAt) };
    return objectAnswer(own, 201, Buffer.from(JSON.stringify(object)));
  };

export const tokenVerbs = (ports: TokenPorts): Verbs => ({ create: create(ports) });

function secondsOf(spec: JsonObject): number {
  const seconds = Number(spec.expirationSeconds ?? DEFAULT_SECONDS);
  const refuse = (why: string) =>
    invalid({ group: GROUP, kind: 'TokenRequest', name: '' }, [invalidValue('spec.expirationSeconds', seconds, why)]);
  if (seconds < MIN_SECONDS) throw refuse('may not specify a duration less than 10 minutes');
  if (seconds > MAX_SECONDS) throw refuse('may not specify a duration larger than 2^32 seconds');
  return seconds;
}

/** Like kube-apiserver, the server shortens the lifetime and warns, because an error would break the client. */
function withinLimit({ maxTokenSeconds }: ServiceAccounts, { warnings }: ResourceRequest, seconds: number): number {
  if (seconds <= maxTokenSeconds) return seconds;
  warnings.push(`requested expiration of ${seconds} seconds shortened to ${maxTokenSeconds} seconds`);
  return maxTokenSeconds;
}

/** The object that the token is bound to: the token becomes invalid when it is deleted. */
async function boundTo(ports: TokenPorts, request: ResourceRequest, ref: JsonObject): Promise<Partial<TokenSubject>> {
  const { kind = '', apiVersion = '', uid: wanted } = ref;
  const resource = BINDABLE.get(String(kind));
  if (resource === undefined || String(apiVersion).includes('/')) {
    const type = String(apiVersion).includes('/') ? String(apiVersion) : `/${String(apiVersion)}`;
    throw badRequest(`cannot bind token to object of type ${type}, Kind=${String(kind)}`);
  }
  const name = String(ref.name ?? '');
  const object = await ports.objects.core(resource, request.info.namespace, name);
  const { uid = '' } = metaOf(object);
  if (wanted && wanted !== uid) {
    const why = `the UID in the bound object reference (${String(wanted)}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ group: '', resource: String(kind) }, name, why);
  }
  if (resource === 'secrets') return { secret: { name, uid } };
  if (resource === 'nodes') return { node: { name, uid } };
  const { serviceAccountName, nodeName } = (object.spec ?? {}) as { serviceAccountName?: string; nodeName?: string };
  if (serviceAccountName !== request.info.name) {
    const account = JSON.stringify(request.info.name);
    throw badRequest(
      `cannot bind token for serviceaccount ${account} to pod running with different serviceaccount name.`,
    );
  }
  return { pod: { name, uid }, ...(nodeName ? { node: await nodeOf(ports, nodeName) } : {}) };
}

/** The node of a pod; it may be missing, and then has no uid. */
async function nodeOf(ports: TokenPorts, name: string): Promise<NonNullable<TokenSubject['node']>> {
  try {
    return { name, uid: metaOf(await ports.objects.core('nodes', '', name)).uid ?? '' };
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'NotFound') return { name };
    throw error;
  }
}

async function metaIn(ports: TokenPorts, request: ResourceRequest, resource: string) {
  return metaOf(await ports.objects.core(resource, request.info.namespace, request.info.name));
}

function wholeSeconds(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}
