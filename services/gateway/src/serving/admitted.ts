import { type RequestInfo, TALKS } from '@tidegate/request-info';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RemoteApi } from '../aggregation/remote-api.ts';
import type { AuditRecord } from '../audit/record.ts';
import type { RequestNotes } from '../request/resource-request.ts';
import type { User } from '../request/user.ts';

/** A request that has passed authentication and authorization. */
export interface Admitted {
  request: FastifyRequest;
  reply: FastifyReply;
  info: RequestInfo;
  user: User;
  audit: string;
  /** Warning headers for the answer, whatever it is */
  warnings: string[];
  /** the server behind the API that serves the request, if it is not this one */
  remote: RemoteApi | undefined;
  record: AuditRecord | undefined;
  notes: RequestNotes;
}

/** The clients at both ends decide how long these requests take. */
export function lastsLong({ verb, subresource }: RequestInfo): boolean {
  return verb === 'watch' || TALKS.has(subresource);
}
