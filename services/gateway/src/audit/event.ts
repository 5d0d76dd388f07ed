import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { RequestInfo } from '@tidegate/request-info';
import { type User, userInfo } from '../request/user.ts';

/** A request as it was received. */
export interface Received {
  readonly raw: IncomingMessage;
  readonly auditId: string;
  readonly user: User;
  /** undefined: the path is not served */
  readonly info: RequestInfo | undefined;
}

/** The fields of an event that are the same at each stage, as audit.k8s.io/v1 names them. */
export function eventHead({ raw, auditId, user, info }: Received) {
  const { method = '', url = '', headers } = raw;
  const ref = info?.isResource ? objectRef(info) : undefined;
  return {
    auditID: auditId,
    requestURI: withoutSecrets(url),
    verb: info?.verb ?? method.toLowerCase(),
    user: userInfo(user),
    sourceIPs: sourcesOf(raw),
    ...(headers['user-agent'] !== undefined && { userAgent: headers['user-agent'] }),
    ...(ref !== undefined && { objectRef: ref }),
  };
}

type ObjectRef = Partial<Record<'resource' | 'namespace' | 'name' | 'apiGroup' | 'apiVersion' | 'subresource', string>>;

function objectRef({ resource, namespace, name, group, version, subresource }: RequestInfo): ObjectRef {
  return {
    resource,
    ...(namespace !== '' && { namespace }),
    ...(name !== '' && { name }),
    ...(group !== '' && { apiGroup: group }),
    apiVersion: version,
    ...(subresource !== '' && { subresource }),
  };
}

/** The source addresses that headers and the connection name; only the last one is verified. */
function sourcesOf({ headers, socket }: IncomingMessage): string[] {
  const said = [headers['x-forwarded-for'], headers['x-real-ip']].flatMap((value) => String(value ?? '').split(','));
  const addresses = said.map((text) => text.trim()).filter((text) => isIP(text) !== 0);
  const peer = (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '');
  return [...new Set([...addresses, ...(peer === '' ? [] : [peer])])];
}

const SECRET_PARAMETER = /([?&][^=&]*(?:token|password|secret|signature)[^=&]*=)[^&]*/gi;

/** Requests through a proxy may carry secrets in the query. */
function withoutSecrets(url: string): string {
  return url.includes('?') ? url.replace(SECRET_PARAMETER, '$1REDACTED') : url;
}

/** A time with microseconds, as audit events have it. */
export function momentText(ms: number): string {
  const micros = Math.floor((ms % 1) * 1000);
  return `${new Date(ms).toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}Z`;
}
