import type { RequestInfo } from '@tidegate/request-info';
import type { JsonObject } from '@tidegate/schema';
import { parseFieldSelector } from '@tidegate/selectors';
import { ApiError } from '@tidegate/status';
import type { User } from '../../request/user.ts';
import { nameIn } from '../deed.ts';

/** Whether somebody may do something, as a SubjectAccessReview asks it. What is empty is left out. */
export function reviewSpec({ name, uid, groups, extra }: User, info: RequestInfo): JsonObject {
  const what = info.isResource
    ? { resourceAttributes: resourceAttributes(info) }
    : { nonResourceAttributes: said({ path: info.path, verb: info.verb }) };
  const more = Object.entries(extra ?? {}).map(([key, values]): [string, string[]] => [key, [...values]]);
  return {
    ...what,
    ...said({ user: name }),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(more.length === 0 ? {} : { extra: Object.fromEntries(more) }),
    ...said({ uid }),
  };
}

function resourceAttributes(info: RequestInfo): JsonObject {
  const { namespace, verb, group, version, resource, subresource } = info;
  const requirements = fieldRequirements(info);
  return {
    ...said({ namespace, verb, group, version, resource, subresource, name: nameIn(info) }),
    ...(requirements.length === 0 ? {} : { fieldSelector: { requirements } }),
  };
}

function said(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));
}

const SELECTING = new Set(['list', 'watch', 'deletecollection']);

/** They only narrow what is asked for: what cannot be read is left out, and said where the list is made. */
function fieldRequirements({ verb, query }: RequestInfo): JsonObject[] {
  const text = SELECTING.has(verb) ? query.get('fieldSelector') : undefined;
  if (text === undefined) return [];
  try {
    const { requirements = [] } = parseFieldSelector(text, () => true) ?? {};
    return requirements.map(({ field: key, equal, value }) => ({
      key,
      operator: equal ? 'In' : 'NotIn',
      values: [value],
    }));
  } catch (error) {
    if (error instanceof ApiError) return [];
    throw error;
  }
}
