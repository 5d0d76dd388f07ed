import type { RuleAttributes } from '@tidegate/rbac';
import { Query, type RequestInfo } from '@tidegate/request-info';
import { parseFieldSelector } from '@tidegate/selectors';
import { ApiError } from '@tidegate/status';

/** The attributes of a request that rules of roles match. */
export function ruleAttributesOf(info: RequestInfo): RuleAttributes {
  if (!info.isResource) return { isResource: false, verb: info.verb, path: info.path };
  const { verb, group, resource, subresource } = info;
  return { isResource: true, verb, group, resource, subresource, name: nameIn(info) };
}

/** The name of the requested object; for a list or watch the name that its field selector requires. */
export function nameIn({ name, verb, query }: RequestInfo): string {
  if (name !== '' || (verb !== 'list' && verb !== 'watch')) return name;
  const text = query.get('fieldSelector');
  if (text === undefined || !text.includes('metadata.name')) return name;
  try {
    const { requirements = [] } = parseFieldSelector(text, () => true) ?? {};
    const named = requirements.find(({ field, equal }) => field === 'metadata.name' && equal)?.value ?? '';
    return named.includes('/') || named.includes('%') || named === '.' || named === '..' ? '' : named;
  } catch (error) {
    // an invalid selector is reported where the list is made
    if (error instanceof ApiError) return name;
    throw error;
  }
}

const NOTHING = {
  group: '',
  version: '',
  namespace: '',
  resource: '',
  subresource: '',
  subpath: '',
  name: '',
  path: '',
};

/** The request info of a hypothetical request, for authorization checks. */
export function hypotheticalRequest(
  asked: Partial<RequestInfo> & Pick<RequestInfo, 'verb' | 'isResource'>,
): RequestInfo {
  return { ...NOTHING, query: new Query(''), ...asked };
}
