import type { IncomingHttpHeaders } from 'node:http';
import { ask, type Backend, dial } from '../proxy/backend.ts';

interface BackgroundRequest {
  readonly path: string;
  /** alternating names and values */
  readonly headers: readonly string[];
  readonly timeoutMs: number;
  /** a larger answer is a failure */
  readonly mostBytes: number;
}

export interface BackgroundAnswer {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Sends a request of this server itself to a backend. The timeout covers connection and answer. */
export async function requestInBackground(backend: Backend, request: BackgroundRequest): Promise<BackgroundAnswer> {
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

/** The text of a failed request, in the form of Go's HTTP client. */
export function requestErrorText(url: string, error: unknown): string {
  const words = error instanceof Error ? error.message : String(error);
  return `Get ${JSON.stringify(url)}: ${words}`;
}
