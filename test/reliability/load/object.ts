import type { Ask, State } from '../history/history.ts';

/** How states of the model are written as ConfigMaps, and read from them. */
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
const OURS = /^(r|end)-/;

/** undefined: an object that the system put there. One of another namespace gets a key that nobody wrote. */
export function stateOf(object: ConfigMap, namespace: string): State | undefined {
  const { metadata, data } = object;
  if (!OURS.test(metadata.name)) return undefined;
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

/** Some values are large, so that they take other ways through the parts. The token says how large. */
export function largeToken(token: string, bytes: number): string {
  return `${token}p${bytes}`;
}

function padOf(token: string): { pad?: string } {
  const bytes = PAD.exec(token)?.[1];
  return bytes === undefined ? {} : { pad: 'x'.repeat(Number(bytes)) };
}

/** A value that was cut or mixed with another one shows as content that nobody wrote. */
function wrongPad(data: ConfigMap['data']): string {
  const found = data?.pad?.length ?? 0;
  return found === (padOf(data?.base ?? '').pad?.length ?? 0) ? '' : ` with a pad of ${found}`;
}

export function bodyOf(key: string, ask: Ask): unknown {
  const whole = { apiVersion: 'v1', kind: 'ConfigMap' };
  switch (ask.kind) {
    case 'create':
      return {
        ...whole,
        metadata: { name: key, labels: { [LABEL]: ask.colour } },
        data: { base: ask.token, ...padOf(ask.token) },
      };
    case 'update': {
      const metadata = { name: key, resourceVersion: String(ask.expected), labels: { [LABEL]: ask.colour } };
      return { ...whole, metadata, data: { base: ask.token, ...padOf(ask.token) } };
    }
    case 'patch': {
      const metadata = ask.colour === undefined ? {} : { metadata: { labels: { [LABEL]: ask.colour } } };
      return { ...metadata, data: { patch: ask.token } };
    }
    default:
      return undefined;
  }
}
