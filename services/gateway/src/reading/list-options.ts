import type { RequestInfo } from '@tidegate/request-info';
import { parseResourceVersion, type Revision } from '@tidegate/revision';
import { badRequest, type FieldError, forbiddenField, invalid, notSupported } from '@tidegate/status';
import { type DecodedContinueToken, decodeContinue } from '../codec/continue-token.ts';

/** The state that a list requests, by the table in section 8 of the spec. */
export type Freshness =
  | { kind: 'most recent' }
  | { kind: 'any' }
  | { kind: 'not older than'; revision: Revision; text: string }
  | { kind: 'exact'; revision: Revision; text: string }
  | { kind: 'continuation'; token: DecodedContinueToken };

export interface ListOptions {
  freshness: Freshness;
  /** 0: no limit */
  limit: number;
}

const refuse = (errors: FieldError[]) => invalid({ group: 'meta.k8s.io', kind: 'ListOptions', name: '' }, errors);

export function listOptions(info: RequestInfo): ListOptions {
  const { query } = info;
  const version = query.get('resourceVersion') ?? '';
  const match = query.get('resourceVersionMatch') ?? '';
  const continueText = query.get('continue') ?? '';
  const limit = Math.max(0, query.count('limit') ?? 0);
  const errors = match === '' ? [] : matchErrors(match, version, continueText);
  if (query.get('sendInitialEvents') !== undefined) {
    errors.push(forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  if (errors.length > 0) throw refuse(errors);
  if (continueText !== '') {
    if (version !== '' && version !== '0')
      throw badRequest('specifying resource version is not allowed when using continue');
    return { limit, freshness: { kind: 'continuation', token: decodeContinue(continueText) } };
  }
  if (version === '') return { limit, freshness: { kind: 'most recent' } };
  if (version === '0') return { limit, freshness: { kind: 'any' } };
  const revision = parseResourceVersion(version);
  if (revision === undefined)
    throw badRequest(
      `invalid resource version: ${JSON.stringify(version)} is not a valid resourceVersion of this server`,
    );
  const exact = match === 'Exact' || (match === '' && limit > 0);
  return { limit, freshness: { kind: exact ? 'exact' : 'not older than', revision, text: version } };
}

function matchErrors(match: string, version: string, continueText: string): FieldError[] {
  const field = 'resourceVersionMatch';
  const errors: FieldError[] = [];
  if (version === '')
    errors.push(forbiddenField(field, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
  if (continueText !== '')
    errors.push(forbiddenField(field, 'resourceVersionMatch is forbidden when continue is provided'));
  if (match !== 'Exact' && match !== 'NotOlderThan')
    errors.push(notSupported(field, match, ['Exact', 'NotOlderThan', '']));
  if (match === 'Exact' && version === '0') {
    errors.push(forbiddenField(field, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  }
  return errors;
}
