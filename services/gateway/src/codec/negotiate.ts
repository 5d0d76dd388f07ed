import { notAcceptable } from '@tidegate/status';
import type { Encoding } from './encodings/encoding.ts';
import { json } from './encodings/json.ts';
import { protobuf } from './encodings/protobuf.ts';

/** What the answer will look like. */
export interface Accepted {
  readonly encoding: Encoding;
  /** the name that the client used for it */
  readonly mediaType: string;
  readonly as: 'object' | 'table' | 'metadata';
  /** the group name that the client used for Table and metadata: answered in the same */
  readonly group: string;
  readonly pretty: boolean;
}

/** In the order in which the server would choose. */
const ENCODINGS: readonly Encoding[] = [json, protobuf];
const SERVED = ENCODINGS.flatMap(({ mediaTypes }) => mediaTypes);
const byMediaType = new Map(ENCODINGS.flatMap((encoding) => encoding.mediaTypes.map((type) => [type, encoding])));

export const PLAIN: Accepted = {
  encoding: json,
  mediaType: 'application/json',
  as: 'object',
  group: 'meta.k8s.io',
  pretty: false,
};
const META_GROUPS = new Set(['meta.k8s.io', 'meta.cluster.io']);
const FORMS: Readonly<Record<string, Accepted['as']>> = {
  Table: 'table',
  PartialObjectMetadata: 'metadata',
  PartialObjectMetadataList: 'metadata',
};

interface Clause {
  type: string;
  parameters: Record<string, string>;
  quality: number;
}

/** Chooses the first acceptable form by quality, then by order. */
export function negotiate(accept: string | undefined): Accepted {
  if (accept === undefined || accept === 'application/json' || accept === '*/*' || accept === '') return PLAIN;
  for (const clause of parseAccept(accept)) {
    const form = formOf(clause);
    if (form !== undefined) return form;
  }
  throw notAcceptable(SERVED);
}

function parseAccept(accept: string): Clause[] {
  const clauses = accept.split(',').map((text): Clause => {
    const [type = '', ...rest] = text.split(';').map((part) => part.trim());
    const parameters: Record<string, string> = {};
    for (const part of rest) {
      const equals = part.indexOf('=');
      if (equals > 0) parameters[part.slice(0, equals).toLowerCase()] = part.slice(equals + 1);
    }
    const quality = Number(parameters.q ?? '1');
    return { type: type.toLowerCase(), parameters, quality: Number.isNaN(quality) ? 0 : quality };
  });
  return clauses.filter((clause) => clause.quality > 0).sort((a, b) => b.quality - a.quality);
}

function formOf({ type, parameters }: Clause): Accepted | undefined {
  const mediaType = type === '*/*' || type === 'application/*' ? PLAIN.mediaType : type;
  const encoding = byMediaType.get(mediaType);
  if (encoding === undefined) return undefined;
  const pretty = parameters.pretty === '1' || parameters.pretty === 'true';
  const whole = { ...PLAIN, encoding, mediaType, pretty };
  if (parameters.as === undefined) return whole;
  const as = FORMS[parameters.as];
  const group = parameters.g ?? '';
  if (as === undefined || !META_GROUPS.has(group) || parameters.v !== 'v1') return undefined;
  return { ...whole, as, group };
}
