import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { RequestInfo } from '@tidegate/request-info';
import { type User, userInfo } from '../request/user.ts';

/** What is known of a request when it comes. */
export interface Received {
  readonly raw: IncomingMessage;
  readonly auditId: string;
  readonly user: User;
  /** undefined: its path leads nowhere */
  readonly info: RequestInfo | undefined;
}

/** The parts of an event that are the same at each stage, in the words of audit.k8s.io/v1. */
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

/** Where it came from, as far as anybody says: of these only the last is certain. */
function sourcesOf({ headers, socket }: IncomingMessage): string[] {
  const said = [headers['x-forwarded-for'], headers['x-real-ip']].flatMap((value) => String(value ?? '').split(','));
  const addresses = said.map((text) => text.trim()).filter((text) => isIP(text) !== 0);
  const peer = (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '');
  return [...new Set([...addresses, ...(peer === '' ? [] : [peer])])];
}

const SECRET_PARAMETER = /([?&][^=&]*(?:token|password|secret|signature)[^=&]*=)[^&]*/gi;

/** Whoever is sent on to by a proxy may take secrets in its path's query. */
function withoutSecrets(url: string): string {
  return url.includes('?') ? url.replace(SECRET_PARAMETER, '$1REDACTED') : url;
}

/** In millionths of a second, as such events have it. */
export function momentText(ms: number): string {
  const micros = Math.floor((ms % 1) * 1000);
  return `${new Date(ms).toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}Z`;
}
