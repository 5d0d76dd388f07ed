import type { IncomingHttpHeaders } from 'node:http';
import type { FeatureGates } from '@tidegate/feature-gates';
import { headerElements, type RequestInfo } from '@tidegate/request-info';
import { type ContentCoding, IDENTITY } from '../request/answer-form.ts';

export interface CodingSettings {
  readonly gates: FeatureGates;
  readonly compressionMinBytes: number;
}

/**
 * Compresses answers to get and list with gzip or zstd if the client accepts that. Watch events are never compressed,
 * to avoid delay.
 */
export function contentCoding(settings: CodingSettings, { verb }: RequestInfo, acceptEncoding: string): ContentCoding {
  if (verb !== 'get' && verb !== 'list') return IDENTITY;
  if (!settings.gates.enabled('APIResponseCompression')) return IDENTITY;
  const { gzip, zstd, identity } = qualities(acceptEncoding);
  // lists are kept gzipped, so zstd is used only where the client prefers it
  const [name, quality] = zstd > gzip ? (['zstd', zstd] as const) : (['gzip', gzip] as const);
  // on equal preference gzip is cheaper here; if neither is acceptable, the body is sent uncompressed
  if (quality === 0 || quality < (identity ?? 0)) return { ...IDENTITY, varies: true };
  return { varies: true, name, fromBytes: identity === 0 ? 0 : settings.compressionMinBytes };
}

/** The same, from the headers of a request. */
export function codingOf(
  settings: CodingSettings,
  { headers }: { readonly headers: IncomingHttpHeaders },
  info: RequestInfo,
): ContentCoding {
  return contentCoding(settings, info, String(headers['accept-encoding'] ?? ''));
}

/** By RFC 9110: `*` covers codings that are not named, and identity is acceptable unless excluded. */
function qualities(header: string): { gzip: number; zstd: number; identity: number | undefined } {
  const named = new Map<string, number>();
  for (const { value: coding, parameters } of headerElements(header.toLowerCase())) {
    if (coding !== '') named.set(coding === 'x-gzip' ? 'gzip' : coding, qualityOf(parameters.q));
  }
  const others = named.get('*');
  return {
    gzip: named.get('gzip') ?? others ?? 0,
    zstd: named.get('zstd') ?? 0,
    identity: named.get('identity') ?? (others === 0 ? 0 : undefined),
  };
}

function qualityOf(text: string | undefined): number {
  if (text === undefined) return 1;
  const quality = Number(text);
  return quality >= 0 && quality <= 1 ? quality : 0;
}
