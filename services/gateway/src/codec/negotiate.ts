import type { FeatureGates } from '@tidegate/feature-gates';
import { headerElements } from '@tidegate/request-info';
import { notAcceptable } from '@tidegate/status';
import type { Accepted, Encoding } from '../request/answer-form.ts';
import { cbor, json, protobuf, yaml } from './encodings.ts';
import { CBOR, CBOR_SEQUENCE, servesCbor } from './media-types.ts';

export const PLAIN: Accepted = {
  encoding: json,
  mediaType: 'application/json',
  as: 'object',
  metaVersion: 'meta.k8s.io/v1',
  pretty: false,
};
export const TEXT = 'text/plain';
/** A watch in CBOR can also be requested by the media type of its stream. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['*/*', PLAIN.mediaType],
  ['application/*', PLAIN.mediaType],
  [CBOR_SEQUENCE, CBOR],
]);
const META_VERSIONS = new Set(['meta.k8s.io/v1', 'meta.k8s.io/v1beta1', 'meta.cluster.io/v1']);
const FORMS: Readonly<Record<string, Accepted['as']>> = {
  Table: 'table',
  PartialObjectMetadata: 'metadata',
  PartialObjectMetadataList: 'metadata',
};

/** The form of a discovery document. */
export interface DiscoveryForm extends Pick<Accepted, 'encoding' | 'mediaType'> {
  readonly aggregated: boolean;
}

/** What limits the forms of an answer. */
interface AnswerOf {
  /** a custom kind: whole objects have no Protobuf */
  isCustom?: boolean;
  /** a review (SubjectAccessReview and the like): it has no Table */
  isReview?: boolean;
  /** the answer is plain text whatever is accepted; only the Status of an error has another form */
  isText?: boolean;
}

interface Clause {
  type: string;
  parameters: Readonly<Record<string, string>>;
  quality: number;
}

/** Chooses the form of an answer from the Accept header. */
export class Negotiator {
  readonly #encodings: readonly Encoding[];
  readonly #byMediaType: ReadonlyMap<string, Encoding>;

  constructor(gates: FeatureGates) {
    this.#encodings = [json, yaml, ...(servesCbor(gates) ? [cbor] : []), protobuf];
    this.#byMediaType = new Map(this.#encodings.flatMap((one) => one.mediaTypes.map((type) => [type, one])));
  }

  /** The media types of answers. Custom kinds have no Protobuf. */
  answerTypes(isCustom: boolean): readonly string[] {
    const encodings = this.#encodings.filter((one) => !(isCustom && one === protobuf));
    return encodings.flatMap(({ mediaTypes }) => mediaTypes);
  }

  /** The media types of watch streams, where they differ from those of other answers. */
  streamTypes(isCustom: boolean): readonly string[] {
    const types = this.answerTypes(isCustom);
    return types.flatMap((type) => {
      if (type === 'application/yaml') return [];
      return [type === CBOR ? CBOR_SEQUENCE : `${type};stream=watch`];
    });
  }

  /** Chooses the first acceptable form, by quality and then by order. */
  negotiate(
    accept: string | undefined,
    { isCustom = false, isReview = false, isText = false }: AnswerOf = {},
  ): Accepted {
    if (accept === undefined || accept === 'application/json' || accept === '*/*' || accept === '') return PLAIN;
    for (const clause of parseAccept(accept)) {
      if (isText && (clause.type === TEXT || clause.type === 'text/*')) return PLAIN;
      const form = this.#formOf(clause);
      if (form === undefined || (isReview && form.as === 'table')) continue;
      if (!(isCustom && form.as === 'object' && form.encoding === protobuf)) return form;
    }
    throw notAcceptable([...(isText ? [TEXT] : []), ...this.answerTypes(isCustom)]);
  }

  /** The same for a discovery document, which has no Table but may have an aggregated form. */
  negotiateDiscovery(accept: string | undefined, hasAggregated: boolean): DiscoveryForm {
    if (accept === undefined || accept === '') return { ...PLAIN, aggregated: false };
    for (const { type, parameters } of parseAccept(accept)) {
      const whole = this.#formOf({ type, parameters: {}, quality: 1 });
      const { as, g, v } = parameters;
      const aggregated = as === 'APIGroupDiscoveryList' && g === 'apidiscovery.k8s.io' && v === 'v2';
      if (whole !== undefined && (aggregated ? hasAggregated : as === undefined)) return { ...whole, aggregated };
    }
    throw notAcceptable(this.answerTypes(false));
  }

  #formOf({ type, parameters }: Clause): Accepted | undefined {
    const mediaType = ALIASES.get(type) ?? type;
    const encoding = this.#byMediaType.get(mediaType);
    if (encoding === undefined) return undefined;
    const pretty = parameters.pretty === '1' || parameters.pretty === 'true';
    const whole = { ...PLAIN, encoding, mediaType, pretty };
    if (parameters.as === undefined) return whole;
    const as = FORMS[parameters.as];
    const metaVersion = `${parameters.g}/${parameters.v}`;
    if (as === undefined || !META_VERSIONS.has(metaVersion)) return undefined;
    return { ...whole, as, metaVersion };
  }
}

function parseAccept(accept: string): Clause[] {
  const clauses = headerElements(accept).map(({ value, parameters }): Clause => {
    const quality = Number(parameters.q ?? '1');
    return { type: value.toLowerCase(), parameters, quality: Number.isNaN(quality) ? 0 : quality };
  });
  return clauses.filter((clause) => clause.quality > 0).sort((a, b) => b.quality - a.quality);
}
