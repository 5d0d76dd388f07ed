import { badRequest } from '@tidegate/status';

export interface SchemeNamePort {
  /** the whole text of the path */
  readonly asked: string;
  readonly scheme: '' | 'http' | 'https';
  readonly name: string;
  /** a number or a name; empty where none is given */
  readonly port: string;
}

/** `NAME`, `NAME:PORT` and `SCHEME:NAME:PORT`, as paths to a proxy name what is behind it. */
export function schemeNamePort(text: string, what: string): SchemeNamePort {
  const parts = text.split(':');
  const [scheme = '', name = '', port = ''] = parts.length < 3 ? ['', ...parts] : parts;
  if (parts.length > 3 || name === '' || (scheme !== '' && scheme !== 'http' && scheme !== 'https')) {
    throw badRequest(`invalid ${what} request ${JSON.stringify(text)}`);
  }
  return { asked: text, scheme, name, port };
}
