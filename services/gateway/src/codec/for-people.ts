import { parseFlag, type Query } from '@tidegate/request-info';

const PROGRAMS_OF_PEOPLE = /^(?:curl|Wget|Mozilla)\//;

/** Whether JSON is indented: as `?pretty` says, and where it says nothing, for programs that show it to people. */
export function isForPeople(query: Query, userAgent: string): boolean {
  const asked = query.get('pretty');
  return asked === undefined ? PROGRAMS_OF_PEOPLE.test(userAgent) : parseFlag('pretty', asked);
}

/** The same of an answer to a request that may be refused because of its query. */
export function isRefusalForPeople(query: Query | undefined, userAgent: string): boolean {
  const asked = query?.get('pretty');
  const isFlag = asked !== undefined && ['', '0', '1', 'false', 'true'].includes(asked);
  return isFlag ? parseFlag('pretty', asked) : PROGRAMS_OF_PEOPLE.test(userAgent);
}
