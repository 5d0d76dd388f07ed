import type { FeatureGates } from '@tidegate/feature-gates';
import type { RequestInfo } from '@tidegate/request-info';

/** How the body of an answer may be coded. */
export interface ContentCoding {
  /** it depends on what the client accepts, and caches must know */
  readonly varies: boolean;
  /** bodies of so many bytes and more are gzip; undefined: none is */
  readonly gzipFromBytes: number | undefined;
}

export const IDENTITY: ContentCoding = { varies: false, gzipFromBytes: undefined };

interface Settings {
  readonly gates: FeatureGates;
  readonly compressionMinBytes: number;
}

/** Answers to get and list are gzip where the client takes that. Watches never are: their events must not wait. */
export function contentCoding(settings: Settings, { verb }: RequestInfo, acceptEncoding: string): ContentCoding {
  if (verb !== 'get' && verb !== 'list') return IDENTITY;
  if (!settings.gates.enabled('APIResponseCompression')) return IDENTITY;
  const { gzip, identity } = qualities(acceptEncoding);
  // who does not rank them and takes gzip is better served by it; who takes neither gets the body as it is
  if (gzip === 0 || gzip < (identity ?? 0)) return { varies: true, gzipFromBytes: undefined };
  return { varies: true, gzipFromBytes: identity === 0 ? 0 : settings.compressionMinBytes };
}

/** By the rules of RFC 9110: `*` stands for what is not named, and identity that nothing names is acceptable. */
function qualities(header: string): { gzip: number; identity: number | undefined } {
  const named = new Map<string, number>();
  for (const item of header.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = item.split(';').map((text) => text.trim());
    if (coding !== '') named.set(coding === 'x-gzip' ? 'gzip' : coding, qualityOf(parameters));
  }
  const others = named.get('*');
  return { gzip: named.get('gzip') ?? others ?? 0, identity: named.get('identity') ?? (others === 0 ? 0 : undefined) };
}

function qualityOf(parameters: readonly string[]): number {
  const text = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  if (text === undefined) return 1;
  const quality = Number(text);
  return quality >= 0 && quality <= 1 ? quality : 0;
}
