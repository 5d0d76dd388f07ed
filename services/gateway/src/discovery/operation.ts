import type { FeatureGates } from '@tidegate/feature-gates';
import type { KindEntry } from '@tidegate/kinds';
import { bodyTypes } from '../codec/media-types.ts';
import { type Negotiator, TEXT } from '../codec/negotiate.ts';

/** The description of an operation, in kube-apiserver's words: `read status of the specified Pod`. */
export function operationWords(entry: KindEntry, verb: string, subresource: string): string {
  const { kind } = entry;
  const a = article(kind);
  const below = subresource === '' ? '' : `${subresource} of `;
  switch (verb) {
    case 'list':
      // kube-apiserver does not mention watch for custom kinds
      return `${entry.verbs.includes('watch') && entry.custom === undefined ? 'list or watch' : 'list'} objects of kind ${kind}`;
    case 'create':
      return `create ${below}${a}${kind}`;
    case 'deletecollection':
      return `delete collection of ${kind}`;
    case 'get':
      return `read ${below}the specified ${kind}`;
    case 'update':
      return `replace ${below}the specified ${kind}`;
    case 'patch':
      return `partially update ${below}the specified ${kind}`;
    default:
      return `delete ${below}${a}${kind}`;
  }
}

export function connectWords({ kind }: KindEntry, method: string, subresource: string): string {
  return `connect ${method.toUpperCase()} requests to ${subresource} of ${kind}`;
}

/** The indefinite article; plural kinds, such as Endpoints, have none. */
function article(kind: string): string {
  if (/[^s]s$/.test(kind)) return '';
  return /^[aeiou]/i.test(kind) ? 'an ' : 'a ';
}

/** `rbac.authorization.k8s.io` becomes `RbacAuthorization`, `cert-manager.io` `CertManagerIo`, the core group `Core`. */
export function wordOf(name: string): string {
  const words = (name === '' ? 'core' : name.replace(/\.k8s\.io$/, '')).split(/[.-]/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

export function tagOf({ group, version }: KindEntry): string {
  const word = wordOf(group);
  return `${word.charAt(0).toLowerCase()}${word.slice(1)}_${version}`;
}

/** One operation of a path in OpenAPI documents. */
export interface Operation {
  readonly path: string;
  readonly method: 'get' | 'put' | 'post' | 'delete' | 'patch' | 'head' | 'options';
  /** in Kubernetes' words: `list`, `post`, `put`, `deletecollection`, … */
  readonly action: string;
  readonly id: string;
  /** the group and version under which clients are generated: `core_v1` */
  readonly tag: string;
  readonly description: string;
  readonly of: Pick<KindEntry, 'group' | 'version' | 'kind'>;
  /** the kind in the description of the path's name */
  readonly nameOf: string;
  /** names of query parameters */
  readonly query: readonly string[];
  readonly takes: 'nothing' | 'object' | 'patch' | 'options';
  readonly answers: 'object' | 'list' | 'status' | 'text' | 'anything';
  /** the kind of the request's and the answer's objects */
  readonly entry: KindEntry;
  /** whether the path belongs to a custom resource */
  readonly isCustom: boolean;
}

/** The supported media types: the same tables that decide on requests. */
export interface Codec {
  readonly gates: FeatureGates;
  readonly negotiator: Negotiator;
}

/** The media types of a request's body; undefined where it has none, or is forwarded unparsed. */
export function consumed({ takes, isCustom }: Operation, { gates }: Codec): readonly string[] | undefined {
  return takes === 'nothing' ? undefined : bodyTypes(gates, takes, isCustom);
}

/** The media types of an answer. */
export function produced({ action, answers, isCustom }: Operation, { negotiator }: Codec): readonly string[] {
  if (answers === 'anything') return ['*/*'];
  const types = negotiator.answerTypes(isCustom);
  if (answers === 'text') return [...types, TEXT];
  return action === 'list' ? [...types, ...negotiator.streamTypes(isCustom)] : types;
}

const OK = [200, 'OK'] as const;
const CREATED = [201, 'Created'] as const;
const ACCEPTED = [202, 'Accepted'] as const;

const CODES: Readonly<Record<string, ReadonlyArray<readonly [code: number, words: string]>>> = {
  post: [OK, CREATED, ACCEPTED],
  put: [OK, CREATED],
  // an apply creates a missing object
  patch: [OK, CREATED],
  delete: [OK, ACCEPTED],
};

/** The status codes of authenticated requests, with their descriptions. */
export function codesOf({ action }: Operation): ReadonlyArray<readonly [code: number, words: string]> {
  return CODES[action] ?? [OK];
}

/** The answer to unauthenticated requests. */
export const UNAUTHORIZED = { 401: { description: 'Unauthorized' } };
