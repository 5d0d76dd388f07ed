import type { OperationRequest, State } from '../history/history.ts';

/** ConfigMaps store the states of the model. */
interface ConfigMap {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly data?: Readonly<Record<string, string>>;
}

export const LABEL = 'colour';
const TEST_NAME = /^(r|end)-/;

/** Undefined for objects of the system. An object of another namespace gets a key that no client wrote. */
export function stateOf(object: ConfigMap, namespace: string): State | undefined {
  const { metadata, data } = object;
  if (!TEST_NAME.test(metadata.name)) return undefined;
  return {
    key: metadata.namespace === namespace ? metadata.name : `${metadata.namespace}/${metadata.name}`,
    uid: metadata.uid,
    version: Number(metadata.resourceVersion),
    base: (data?.base ?? '') + wrongPad(data),
    patch: data?.patch ?? '',
    colour: metadata.labels?.[LABEL] ?? '',
  };
}

const PAD = /p(\d+)$/;

/** A token for a large value, which takes other code paths; the token contains the size. */
export function largeToken(token: string, bytes: number): string {
  return `${token}p${bytes}`;
}

function padOf(token: string): { pad?: string } {
  const bytes = PAD.exec(token)?.[1];
  return bytes === undefined ? {} : { pad: 'x'.repeat(Number(bytes)) };
}

/** Makes a truncated or mixed value visible as content that no client wrote. */
function wrongPad(data: ConfigMap['data']): string {
  const found = data?.pad?.length ?? 0;
  return found === (padOf(data?.base ?? '').pad?.length ?? 0) ? '' : ` with a pad of ${found}`;
}

export function bodyOf(key: string, request: OperationRequest): unknown {
  const whole = { apiVersion: 'v1', kind: 'ConfigMap' };
  switch (request.kind) {
    case 'create':
      return {
        ...whole,
        metadata: { name: key, labels: { [LABEL]: request.colour } },
        data: { base: request.token, ...padOf(request.token) },
      };
    case 'update': {
      const metadata = { name: key, resourceVersion: String(request.expected), labels: { [LABEL]: request.colour } };
      return { ...whole, metadata, data: { base: request.token, ...padOf(request.token) } };
    }
    case 'patch': {
      const metadata = request.colour === undefined ? {} : { metadata: { labels: { [LABEL]: request.colour } } };
      return { ...metadata, data: { patch: request.token } };
    }
    default:
      return undefined;
  }
}
