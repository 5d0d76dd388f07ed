import { posix } from 'node:path';

/** Where a page was found, for what it links to. */
export interface Place {
  /** the path of the proxy itself, to which paths of the back end are joined */
  readonly prefix: string;
  /** the back end, as host:port */
  readonly backEnd: string;
  /** what the client takes this server to be */
  readonly host: string;
}

const PARTS = /^([a-z][a-z0-9+.-]*:)?(?:\/\/([^/?#]*))?([^?#]*)(.*)$/is;

/**
 * A link that leads through the proxy again: with `/api/v1/namespaces/a/services/b/proxy` before the path. Links to other
 * hosts, and those that are relative to their page, are good as they are.
 */
export function linkThrough({ prefix, backEnd, host }: Place, link: string): string {
  const [, scheme = '', authority, path = '', rest = ''] = PARTS.exec(link) ?? [];
  const elsewhere = authority !== undefined && authority !== '' && authority !== backEnd && authority !== host;
  if (elsewhere || !path.startsWith('/')) return link;
  const own = authority === host && host !== '' ? `${scheme}//${authority}` : '';
  return own + (path.startsWith(prefix) ? path : joined(prefix, path)) + rest;
}

/** Without doubled slashes and dots; a slash at the end stays. */
export function joined(prefix: string, path: string): string {
  return posix.join(prefix, path);
}
