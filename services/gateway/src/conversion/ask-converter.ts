import { randomUUID } from 'node:crypto';
import type { Kind } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import { clientConfigOf, Unanswered, type WebhookCalls, WebhookFailure } from '../callouts/webhook-calls.ts';
import { answeredObjects, WrongAnswer } from './answered-objects.ts';

/** What became of one question to a converter. */
export type Outcome =
  | { readonly kind: 'converted'; readonly objects: readonly JsonObject[] }
  /** it did not convert these objects; it may well convert others */
  | { readonly kind: 'refused'; readonly words: string }
  /** it said nothing: asking about others would be no better */
  | { readonly kind: 'unanswered'; readonly words: string };

interface Question {
  /** the version that is wanted */
  readonly to: Kind;
  /** of whichever of the other versions */
  readonly objects: readonly JsonObject[];
}

const TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 16 << 20;

/** Asks the converter of a kind for objects of another version, all in one request. */
export async function askConverter(webhooks: WebhookCalls, { to, objects }: Question): Promise<Outcome> {
  const { converter } = to.entry.custom ?? {};
  const [first] = objects;
  if (first === undefined) return { kind: 'converted', objects };
  if (converter === undefined) throw new Error(`nothing converts ${to.entry.kind}`);
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
