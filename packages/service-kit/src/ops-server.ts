import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Checks } from './checks.ts';
import type { MetricRegistry } from './metric-registry.ts';
import { probeAnswer, probePath } from './probe.ts';

interface OpsOptions {
  address: string;
  checks: Checks;
  metrics: MetricRegistry;
}

/** Serves probes and metrics over plain HTTP. It uses local state only and serves no object data. */
export async function openOpsServer(options: OpsOptions): Promise<Server> {
  const server = createServer((request, response) => answer(options, request, response));
  const [host, port] = splitAddress(options.address);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return server;
}

function answer({ checks, metrics }: OpsOptions, request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('Cache-Control', 'no-cache, private');
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    sendText(response.setHeader('Allow', 'GET, HEAD'), 405, 'method not allowed\n');
    return;
  }
  const { path, query } = splitUrl(request.url ?? '/');
  if (path === '/metrics') {
    metrics.exposition(request.headers.accept).then(
      ({ text, contentType }) => response.setHeader('Content-Type', contentType).end(text),
      () => response.writeHead(500).end(),
    );
    return;
  }
  const probed = probePath(path);
  const found =
    probed &&
    probeAnswer(checks.at(probed.endpoint), probed.name, {
      verbose: query.has('verbose'),
      exclude: query.getAll('exclude'),
    });
  sendText(response, found?.code ?? 404, found?.text ?? '404 page not found\n');
}

/** Sends the response of a probe. All listeners for probes use it. */
export function sendText(response: ServerResponse, code: number, text: string): void {
  response.setHeader('Content-Type', 'text/plain; charset=utf-8');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.writeHead(code).end(text);
}

/** Splits a request target without ever failing. */
export function splitUrl(url: string): { path: string; query: URLSearchParams } {
  const mark = url.indexOf('?');
  return mark < 0
    ? { path: url, query: new URLSearchParams() }
    : { path: url.slice(0, mark), query: new URLSearchParams(url.slice(mark)) };
}

export function splitAddress(address: string): [host: string, port: number] {
  const colon = address.lastIndexOf(':');
  return [address.slice(0, colon).replace(/^\[|\]$/g, ''), Number(address.slice(colon + 1))];
}
