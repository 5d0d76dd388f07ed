import type { FeatureGates } from '@tidegate/feature-gates';
import { bodyTypes } from '../codec/media-types.ts';
import { type Negotiator, TEXT } from '../codec/negotiate.ts';
import type { Operation } from './operation-words.ts';

/** What this server reads and writes: the same tables by which it refuses everything else. */
export interface Codec {
  readonly gates: FeatureGates;
  readonly negotiator: Negotiator;
}

/** The media types of a request's body; undefined where it has none, or where it is passed on unread. */
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
  // an applied configuration creates what is not there
  patch: [OK, CREATED],
  delete: [OK, ACCEPTED],
};

/** The status codes of answers to those who are authenticated, each with its description. */
export function codesOf({ action }: Operation): ReadonlyArray<readonly [code: number, words: string]> {
  return CODES[action] ?? [OK];
}

/** The answer to everybody else. */
export const UNAUTHORIZED = { 401: { description: 'Unauthorized' } };
