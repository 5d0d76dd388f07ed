import { request } from 'node:https';

type JsonValue = string | number | boolean | null | JsonValue[] | JsonRecord;
export interface JsonRecord {
  [key: string]: JsonValue;
}

interface Cause {
  readonly field: string;
  readonly reason: string;
  readonly message: string;
}

/** What is kept of an answer: whether it was a refusal, and of what. */
export interface Verdict {
  readonly code: number;
  readonly causes?: readonly Cause[];
}

export interface Answer {
  readonly code: number;
  readonly body: JsonRecord;
}

/** A kube-apiserver that is asked for its opinion of rules. */
export class Server {
  readonly #server: string;
  readonly #token: string;

  constructor(server: string, token: string) {
    this.#server = server;
    this.#token = token;
  }

  send(method: string, path: string, body?: JsonRecord, type = 'application/json'): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const text = body === undefined ? '' : JSON.stringify(body);
    const headers = {
      authorization: `Bearer ${this.#token}`,
      'content-type': type,
      'content-length': Buffer.byteLength(text),
    };
    const call = request(`${this.#server}${path}`, { method, headers, rejectUnauthorized: false }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        const answer = Buffer.concat(parts).toString('utf8');
        resolve({ code: response.statusCode ?? 0, body: parsed(answer) });
      });
    });
    call.on('error', reject);
    call.end(text);
    return promise;
  }

  /** Asks until the answer is as it has to be. */
  async until(method: string, path: string, isIt: (answer: Answer) => boolean): Promise<Answer> {
    for (let attempt = 0; attempt < 300; attempt++) {
      const answer = await this.send(method, path);
      if (isIt(answer)) return answer;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`${method} ${path} was never answered as it has to be`);
  }
}

function parsed(text: string): JsonRecord {
  try {
    return JSON.parse(text) as JsonRecord;
  } catch {
    return { text };
  }
}

export function verdictOf({ code, body }: Answer): Verdict {
  const { causes } = (body.details ?? {}) as unknown as { causes?: Cause[] };
  return causes === undefined ? { code } : { code, causes };
}
