import type { Deed } from '@tidegate/rbac';
import { Query, type RequestInfo } from '@tidegate/request-info';
import { parseFieldSelector } from '@tidegate/selectors';
import { ApiError } from '@tidegate/status';

/** What a request does, as rules of roles name it. */
export function ruleAttributesOf(info: RequestInfo): Deed {
  if (!info.isResource) return { isResource: false, verb: info.verb, path: info.path };
  const { verb, group, resource, subresource } = info;
  return { isResource: true, verb, group, resource, subresource, name: nameIn(info) };
}

/** A list or watch of one name is about that name. */
export function nameIn({ name, verb, query }: RequestInfo): string {
  if (name !== '' || (verb !== 'list' && verb !== 'watch')) return name;
  const text = query.get('fieldSelector');
  if (text === undefined || !text.includes('metadata.name')) return name;
  try {
    const { requirements = [] } = parseFieldSelector(text, () => true) ?? {};
    const named = requirements.find(({ field, equal }) => field === 'metadata.name' && equal)?.value ?? '';
    return named.includes('/') || named.includes('%') || named === '.' || named === '..' ? '' : named;
  } catch (error) {
    // what it means is said where the list is made
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

/** A request that nobody has sent, for those who ask whether somebody may. */
export function question(asked: Partial<RequestInfo> & Pick<RequestInfo, 'verb' | 'isResource'>): RequestInfo {
  return { ...NOTHING, query: new Query(''), ...asked };
}
