import { Query, type RequestInfo } from '@tidegate/request-info';

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
