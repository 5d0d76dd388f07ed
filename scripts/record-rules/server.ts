import { setTimeout as delay } from 'node:timers/promises';
import { type Peer, requestPeer } from '../request-peer.ts';

type JsonValue = string | number | boolean | null | JsonValue[] | JsonRecord;
export interface JsonRecord {
  [key: string]: JsonValue;
}

interface Cause {
  readonly field: string;
  readonly reason: string;
  readonly message: string;
}

/** The recorded part of a response: its code and causes. */
export interface Verdict {
  readonly code: number;
  readonly causes?: readonly Cause[];
}

export interface Answer {
  readonly code: number;
  readonly body: JsonRecord;
}

/** A kube-apiserver that evaluates rules. */
export class Server {
  readonly #peer: Peer;

  constructor(peer: Peer) {
    this.#peer = peer;
  }

  async send(method: string, path: string, body?: JsonRecord, type = 'application/json'): Promise<Answer> {
    const sent = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': type } };
    const { code, text } = await requestPeer(this.#peer, method, path, sent);
    return { code, body: parsed(text) };
  }

  /** Repeats a request until the response meets the condition. */
  async until(method: string, path: string, isIt: (answer: Answer) => boolean): Promise<Answer> {
    for (let attempt = 0; attempt < 300; attempt++) {
      const answer = await this.send(method, path);
      if (isIt(answer)) return answer;
      await delay(100);
    }
    throw new Error(`${method} ${path} did not return the expected response in time`);
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
