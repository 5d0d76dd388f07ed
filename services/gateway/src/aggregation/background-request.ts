import type { IncomingHttpHeaders } from 'node:http';
import { ask, type Backend, dial } from '../proxy/backend.ts';

interface BackgroundRequest {
  readonly path: string;
  /** names and values in turn */
  readonly headers: readonly string[];
  readonly timeoutMs: number;
  /** an answer that is larger is a failure */
  readonly mostBytes: number;
}

export interface BackgroundAnswer {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Asks a back end in nobody's name. All of it happens within its time, or fails in words that users know. */
export async function askInBackground(backend: Backend, request: BackgroundRequest): Promise<BackgroundAnswer> {
  const { path, headers, timeoutMs, mostBytes } = request;
  const late = new Error('context deadline exceeded');
  const started = performance.now();
  const socket = await dial({ ...backend, connectMs: timeoutMs });
  let isLate = false;
  const timer = setTimeout(
    () => {
      isLate = true;
      socket.destroy();
    },
    timeoutMs - (performance.now() - started),
  );
  try {
    const all = ['Host', `${backend.host}:${backend.port}`, 'Connection', 'close', ...headers];
    const { response } = await ask(socket, { method: 'GET', path, headers: all }, (body) => body.end());
    const parts: Buffer[] = [];
    let bytes = 0;
    for await (const part of response) {
      parts.push(part as Buffer);
      bytes += (part as Buffer).length;
      if (bytes > mostBytes) throw new Error(`the answer is larger than ${mostBytes} bytes`);
    }
    return { code: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) };
  } catch (error) {
    throw isLate ? late : error;
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}

/** What went wrong, with what was asked: as Go's clients say it. */
export function wordsOf(url: string, error: unknown): string {
  const words = error instanceof Error ? error.message : String(error);
  return `Get ${JSON.stringify(url)}: ${words}`;
}
