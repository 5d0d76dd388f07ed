import { randomUUID } from 'node:crypto';
import { annotationErrors, type Kind, labelErrors } from '@tidegate/kinds';
import { isJsonObject, type Json, type JsonObject } from '@tidegate/schema';
import type { FieldError } from '@tidegate/status';
import { clientConfigOf, Unanswered, type WebhookCalls, WebhookFailure } from '../callouts/webhook-calls.ts';

/** The result of one webhook call. */
export type Outcome =
  | { readonly kind: 'converted'; readonly objects: readonly JsonObject[] }
  /** it did not convert these objects, but may convert others */
  | { readonly kind: 'refused'; readonly words: string }
  /** it did not answer, so calling it for other objects would not help */
  | { readonly kind: 'unanswered'; readonly words: string };

interface ConversionRequest {
  /** the requested version */
  readonly to: Kind;
  /** in any of the other versions */
  readonly objects: readonly JsonObject[];
}

const TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 16 << 20;

/** Calls the conversion webhook of a kind for several objects in one request. */
export async function callConverter(webhooks: WebhookCalls, { to, objects }: ConversionRequest): Promise<Outcome> {
  const { converter } = to.entry.custom ?? {};
  const [first] = objects;
  if (first === undefined) return { kind: 'converted', objects };
  if (converter === undefined) throw new Error(`${to.entry.kind} has no converter`);
  const { review, clientConfig } = converter;
  const uid = randomUUID();
  const desired = to.apiVersion;
  const about = `conversion webhook for ${String(first.apiVersion)}, Kind=${to.entry.kind}`;
  try {
    const answer = await webhooks.call({
      config: clientConfigOf(clientConfig),
      body: {
        kind: 'ConversionReview',
        apiVersion: `apiextensions.k8s.io/${review}`,
        request: { uid, desiredAPIVersion: desired, objects: [...objects] },
      },
      timeoutMs: TIMEOUT_MS,
      maxAnswerBytes: MAX_ANSWER_BYTES,
    });
    return { kind: 'converted', objects: answeredObjects(answer, { uid, review, desired, objects }) };
  } catch (error) {
    if (error instanceof WrongAnswer) return { kind: 'refused', words: `${about} ${error.message}` };
    if (!(error instanceof WebhookFailure)) throw error;
    return { kind: error instanceof Unanswered ? 'unanswered' : 'refused', words: `${about} failed: ${error.message}` };
  }
}

/** The request as it was sent, to check the answer against. */
export interface SentRequest {
  readonly uid: string;
  readonly review: 'v1' | 'v1beta1';
  readonly desired: string;
  readonly objects: readonly JsonObject[];
}

/** A converter answered, but not with the requested objects. */
export class WrongAnswer extends Error {}

const GROUP = 'apiextensions.k8s.io';

/**
 * The converted objects, in the order of the request. A converter cannot change the identity of an object: of its
 * metadata, only labels and annotations are taken from the answer.
 */
export function answeredObjects(answer: JsonObject, sent: SentRequest): JsonObject[] {
  const converted = convertedIn(answer, sent);
  const { objects } = sent;
  if (converted.length !== objects.length) {
    throw new WrongAnswer(`returned ${converted.length} objects, expected ${objects.length}`);
  }
  return converted.map((one, index) => identified(one, { sent, index, original: objects[index] as JsonObject }));
}

function convertedIn(answer: JsonObject, { uid, review }: SentRequest): readonly Json[] {
  const failed = (words: string) => new WrongAnswer(`failed: ${words}`);
  const expected = `${GROUP}/${review}, Kind=ConversionReview`;
  const found = `${String(answer.apiVersion ?? '')}, Kind=${String(answer.kind ?? '')}`;
  // v1beta1 does not require kind, apiVersion and uid
  const isOld = review === 'v1beta1';
  if (!isOld && found !== expected) throw failed(`expected webhook response of ${expected}, got ${found}`);
  const { response } = answer;
  if (!isJsonObject(response)) throw failed('no response provided');
  if (!isOld && response.uid !== uid) {
    throw failed(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? '')}`);
  }
  const { status = '', message = '' } = isJsonObject(response.result) ? response.result : {};
  if (status !== 'Success') {
    throw failed(message === '' ? `response.result.status was '${String(status)}', not 'Success'` : String(message));
  }
  return Array.isArray(response.convertedObjects) ? response.convertedObjects : [];
}

interface ObjectContext {
  readonly sent: SentRequest;
  readonly index: number;
  readonly original: JsonObject;
}

function identified(converted: Json, { sent, index, original }: ObjectContext): JsonObject {
  const isOne = sent.objects.length === 1;
  const wrong = (words: string) =>
    new WrongAnswer(`returned invalid ${isOne ? '' : 'converted '}object at index ${index}: ${words}`);
  const differs = isOne ? (words: string) => new WrongAnswer(`returned invalid object: ${words}`) : wrong;
  if (!isJsonObject(converted)) throw wrong('it is not a JSON object');
  const { apiVersion = '', kind = '' } = converted;
  if (apiVersion !== sent.desired) {
    throw wrong(`invalid groupVersion (expected ${sent.desired}, received ${String(apiVersion)})`);
  }
  if (kind !== original.kind) {
    throw wrong(`invalid kind (expected ${String(original.kind)}, received ${String(kind)})`);
  }
  const before = metadataOf(original);
  const after = metadataOf(converted);
  for (const [field, label] of IDENTITY) {
    const [is, was] = [after[field] ?? '', before[field] ?? ''];
    if (is !== was) throw differs(`must have the same ${label}: ${String(was)} != ${String(is)}`);
  }
  const where = isOne ? 'metadata' : `metadata in object at index ${index}`;
  return {
    ...converted,
    metadata: restored(after, before, (words) => new WrongAnswer(`returned invalid ${where}: ${words}`)),
  };
}

const IDENTITY = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['uid', 'UID'],
] as const;

function metadataOf({ metadata }: JsonObject): JsonObject {
  return isJsonObject(metadata) ? metadata : {};
}

const CHECKS = {
  labels: (labels: Texts) => labelErrors(labels, 'metadata.labels'),
  annotations: (annotations: Texts) => annotationErrors(annotations, 'metadata.annotation'),
};

type Texts = Record<string, string>;

function restored(after: JsonObject, before: JsonObject, wrong: (words: string) => WrongAnswer): JsonObject {
  const metadata: JsonObject = { ...before };
  for (const [field, check] of Object.entries(CHECKS)) {
    const texts = after[field] ?? undefined;
    if (texts === undefined) {
      delete metadata[field];
      continue;
    }
    if (!isJsonObject(texts)) throw wrong(`invalid metadata.${field} of type ${typeOf(texts)} in converted object`);
    for (const [key, text] of Object.entries(texts)) {
      if (typeof text === 'string') continue;
      throw wrong(`metadata.${field}[${key}] must be a string, but is ${typeOf(text)} in converted object`);
    }
    if (!hasSame(texts, before[field])) {
      const errors = check(texts as Texts);
      if (errors.length > 0) throw wrong(textOf(errors));
    }
    metadata[field] = texts;
  }
  return metadata;
}

/** Labels and annotations that were stored before are not validated again. */
function hasSame(texts: JsonObject, before: Json | undefined): boolean {
  const had = isJsonObject(before) ? before : {};
  const keys = Object.keys(texts);
  return keys.length === Object.keys(had).length && keys.every((key) => had[key] === texts[key]);
}

function typeOf(value: Json): string {
  return Array.isArray(value) ? 'array' : typeof value;
}

function textOf(errors: readonly FieldError[]): string {
  const texts = errors.map(({ field, message }) => `${field}: ${message}`);
  return texts.length === 1 ? (texts[0] as string) : `[${texts.join(', ')}]`;
}
