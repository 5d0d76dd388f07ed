import { get } from 'node:https';

/** The status of a server of this machine whose certificate nobody has signed; undefined: it does not answer. */
export function localAnswer(url: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    get(url, { rejectUnauthorized: false, agent: false }, (response) => resolve(response.resume().statusCode)).on(
      'error',
      () => resolve(undefined),
    );
  });
}
