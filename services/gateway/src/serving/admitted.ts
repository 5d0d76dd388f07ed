import { LONG_RUNNING_SUBRESOURCES, type RequestInfo } from '@tidegate/request-info';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RemoteApi } from '../aggregation/remote-api.ts';
import type { AuditRecord } from '../audit/record.ts';
import type { RequestNotes } from '../request/resource-request.ts';
import type { User } from '../request/user.ts';

/** A request that is authenticated and authorized. */
export interface Admitted {
  request: FastifyRequest;
  reply: FastifyReply;
  info: RequestInfo;
  user: User;
  audit: string;
  /** Warning headers of the answer */
  warnings: string[];
  /** the aggregated server that serves the request; undefined: this one */
  remote: RemoteApi | undefined;
  record: AuditRecord | undefined;
  notes: RequestNotes;
}

/** Watches and streams: the clients decide how long they last. */
export function isLongRunning({ verb, subresource }: RequestInfo): boolean {
  return verb === 'watch' || LONG_RUNNING_SUBRESOURCES.has(subresource);
}
