import type { RequestInfo } from '@tidegate/request-info';
import { ApiError } from '@tidegate/status';
import type { FastifyReply } from 'fastify';
import { upgradeOf } from '../answer/upgrade-reply.ts';
import { writeText } from '../answer/write-answer.ts';
import { type Backend, hostAndPort } from '../proxy/backend.ts';
import { forward } from '../proxy/forward.ts';
import { passUpgrade } from '../proxy/upgrade.ts';
import type { User } from '../request/user.ts';
import { identityHeaders } from './identity-headers.ts';
import type { RemoteApi } from './remote-api.ts';

interface PassedOn {
  readonly reply: FastifyReply;
  readonly info: RequestInfo;
  readonly user: User;
  readonly audit: string;
}

/** Dot segments would resolve to a path that was not authorized. */
const DOTTED = /\/(?:\.|%2e){1,2}(?:\/|$)/i;

/** Forwards an authorized request to a remote server with the user's identity; returns the status code. */
export async function passOn(remote: RemoteApi, passed: PassedOn): Promise<number> {
  const { reply, audit, info } = passed;
  if (DOTTED.test(info.path)) return writeText(audit, reply, 404, '404 page not found\n');
  if (!remote.isAvailable) return writeText(audit, reply, 503, 'service unavailable\n');
  let backend: Backend;
  try {
    backend = await remote.backend();
  } catch (error) {
    // the server has no address, or a forbidden one: the next check reports the reason
    remote.missed(error);
    return writeText(audit, reply, 503, 'service unavailable\n');
  }
  try {
    await send(backend, passed);
    return reply.raw.statusCode;
  } catch (error) {
    if (!(error instanceof ApiError) || reply.raw.headersSent) throw error;
    remote.missed(error);
    // the address and the failure are visible in the APIService and in the log only
    return writeText(audit, reply, 503, 'error trying to reach service: the server could not be reached\n');
  }
}

async function send(backend: Backend, { reply, info, user, audit }: PassedOn): Promise<void> {
  const { url = '' } = reply.raw.req;
  const mark = url.indexOf('?');
  const [path, query] = mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark)];
  const headers = ['Audit-Id', audit, ...identityHeaders(user)];
  const host = hostAndPort(backend);
  const upgrade = upgradeOf(reply);
  if (upgrade !== undefined) {
    await passUpgrade({ auditId: audit, backend, path: path + query, headers, host }, upgrade);
    return;
  }
  const sent = { auditId: audit, backend, path: info.path, query, prefix: '', headers, host, mayRedirect: false };
  await forward(sent, reply);
}
