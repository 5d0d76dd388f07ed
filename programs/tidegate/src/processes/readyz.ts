import { get as getHttp } from 'node:http';
import { get as getHttps } from 'node:https';

interface Answer {
  readonly status: number;
  readonly body: string;
}

interface AskOptions {
  caPem?: string;
  token?: string;
}

/** Sends one request with a short timeout; undefined where there was no answer. */
export function ask(url: string, { caPem, token }: AskOptions = {}): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const get = url.startsWith('https:') ? getHttps : getHttp;
    const request = get(
      url,
      {
        ...(caPem === undefined ? {} : { ca: caPem }),
        ...(token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } }),
        agent: false,
        timeout: 2000,
      },
      (response) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (text: string) => {
          body += text;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
        response.on('error', () => resolve(undefined));
      },
    );
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(undefined));
  });
}
