import type { RequestInfo } from '@tidegate/request-info';
import { badRequest } from '@tidegate/status';

/** Nobody can say here what would happen. */
export function refuseDryRun({ query }: RequestInfo): void {
  if (query.all('dryRun').length > 0) throw badRequest('dryRun is not supported');
}
