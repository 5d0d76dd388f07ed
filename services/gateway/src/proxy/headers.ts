import type { IncomingMessage } from 'node:http';

/** Hop-by-hop headers, which are not forwarded in either direction. */
const HOP_BY_HOP = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Headers with credentials or identities of the client, which are never forwarded. Some programs treat `_` like `-`.
 */
const IDENTITY = /^(authorization|tidegate-fence|impersonate-.*|x-remote-.*)$/;
const BEARER = 'base64url.bearer.authorization.k8s.io.';

/** set again for the backend */
const OWN = new Set([
  'host',
  'expect',
  'content-length',
  'x-forwarded-for',
  'x-forwarded-uri',
  'sec-websocket-protocol',
]);

/** CORS headers of a backend, which do not apply to this server. */
const CORS = /^access-control-allow-(credentials|headers|methods|origin)$/;

/** The client's headers for a backend, alternating names and values, without those that are set again. */
export function requestHeaders(request: IncomingMessage, more: readonly string[] = [], host?: string): string[] {
  const { rawHeaders, headers, socket } = request;
  const named = namedBy(headers.connection);
  each(more, (name) => named.add(name.toLowerCase()));
  const kept = ['Host', host ?? String(headers.host ?? headers[':authority'] ?? '')];
  each(rawHeaders, (name, value) => {
    const key = name.toLowerCase();
    const stays = key.startsWith(':') || HOP_BY_HOP.has(key) || named.has(key) || OWN.has(key) || isIdentity(key);
    if (!stays) kept.push(name, value);
  });
  const via = [headers['x-forwarded-for'], socket.remoteAddress].flat().filter((hop) => hop !== undefined);
  if (via.length > 0) kept.push('X-Forwarded-For', via.join(', '));
  return [...kept, ...more];
}

/** The headers of an upgrade, without the token that a browser sends as a protocol. */
export function upgradeHeaders(request: IncomingMessage, more: readonly string[] = [], host?: string): string[] {
  const { upgrade = '' } = request.headers;
  const protocols = protocolsOf(request);
  const asked = protocols.length === 0 ? [] : ['Sec-WebSocket-Protocol', protocols.join(', ')];
  const length = request.method === 'GET' ? [] : ['Content-Length', '0'];
  return requestHeaders(request, ['Connection', 'Upgrade', 'Upgrade', upgrade, ...asked, ...length, ...more], host);
}

export function protocolsOf({ headers }: IncomingMessage): string[] {
  const all = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  return all.filter((name) => name !== '' && !name.startsWith(BEARER));
}

/** A backend's headers for the client, alternating names and values, grouped by name. */
export function responseHeaders({ rawHeaders, headers }: IncomingMessage): Array<string | string[]> {
  const named = namedBy(headers.connection);
  const kept = new Map<string, [name: string, values: string[]]>();
  each(rawHeaders, (name, value) => {
    const key = name.toLowerCase();
    if (HOP_BY_HOP.has(key) || named.has(key) || CORS.test(key) || key === 'audit-id') return;
    const found = kept.get(key);
    if (found === undefined) kept.set(key, [name, [value]]);
    else found[1].push(value);
  });
  return [...kept.values()].flatMap(([name, values]) => [name, values.length === 1 ? (values[0] as string) : values]);
}

function isIdentity(key: string): boolean {
  return IDENTITY.test(key.includes('_') ? key.replaceAll('_', '-') : key);
}

function namedBy(connection: string | undefined): Set<string> {
  return new Set((connection ?? '').toLowerCase().split(/[\s,]+/));
}

function each(raw: readonly string[], take: (name: string, value: string) => void): void {
  for (let i = 0; i + 1 < raw.length; i += 2) take(raw[i] as string, raw[i + 1] as string);
}
