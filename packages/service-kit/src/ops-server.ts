import { createServer, type Server } from 'node:http';
import type { Checks } from './checks.ts';
import type { MetricRegistry } from './metric-registry.ts';

interface OpsOptions {
  address: string;
  checks: Checks;
  metrics: MetricRegistry;
}

/** Probes and metrics for the machinery around a part. It answers from local state and carries no object data. */
export async function openOpsServer(options: OpsOptions): Promise<Server> {
  const { checks, metrics } = options;
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?')[0];
    if (path === '/livez') response.end('ok');
    else if (path === '/readyz') {
      const ready = checks.ready();
      response.statusCode = ready ? 200 : 500;
      const failing = checks.all().filter((check) => check.failing() !== undefined);
      response.end(
        ready
          ? 'ok'
          : `not ready: ${[...failing.map((c) => c.name), ...(checks.stopping ? ['shutdown'] : [])].join(', ')}\n`,
      );
    } else if (path === '/metrics') {
      metrics.text().then(
        (text) => response.setHeader('Content-Type', metrics.contentType).end(text),
        () => response.writeHead(500).end(),
      );
    } else response.writeHead(404).end('404 page not found\n');
  });
  const [host, port] = splitAddress(options.address);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return server;
}

function splitAddress(address: string): [string, number] {
  const colon = address.lastIndexOf(':');
  return [address.slice(0, colon).replace(/^\[|\]$/g, ''), Number(address.slice(colon + 1))];
}
