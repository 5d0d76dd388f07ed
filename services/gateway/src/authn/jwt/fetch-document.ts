import { request } from 'node:https';
import { isJsonObject, type JsonObject, parseOwnJson } from '@tidegate/schema';
import { trusting } from '@tidegate/service-kit';

interface FetchOptions {
  /** PEM; empty: what the system trusts */
  readonly authority: string;
  readonly timeoutMs: number;
}

export type FetchDocument = (url: string, options: FetchOptions) => Promise<JsonObject>;

const MOST_BYTES = 1 << 20;

/** A JSON object from an https server. All of it comes within the time; redirects are not followed. */
export const fetchDocument: FetchDocument = (url, { authority, timeoutMs }) =>
  new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`Get ${JSON.stringify(url)}: ${why}`));
    const sent = request(url, {
      agent: false,
      ...(authority === '' ? {} : trusting(authority)),
      minVersion: 'TLSv1.2',
      signal: AbortSignal.timeout(timeoutMs),
      headers: { Accept: 'application/json', Connection: 'close' },
    });
    sent.on('error', (error) => fail(error.name === 'AbortError' ? 'context deadline exceeded' : error.message));
    sent.on('response', (response) => {
      const { statusCode = 0 } = response;
      if (statusCode !== 200) {
        const more = statusCode >= 300 && statusCode < 400 ? ', and redirects are not followed' : '';
        fail(`it answered ${statusCode}${more}`);
        sent.destroy();
        return;
      }
      const parts: Buffer[] = [];
      let bytes = 0;
      response.on('data', (part: Buffer) => {
        bytes += part.length;
        if (bytes <= MOST_BYTES) parts.push(part);
        else response.destroy(new Error(`the answer is larger than ${MOST_BYTES} bytes`));
      });
      response.on('error', (error) => fail(error.message));
      response.on('end', () => {
        try {
          const value = parseOwnJson(Buffer.concat(parts));
          if (isJsonObject(value)) resolve(value);
          else fail('the answer is no JSON object');
        } catch (error) {
          fail(`the answer is no JSON: ${(error as Error).message}`);
        }
      });
    });
    sent.end();
  });
