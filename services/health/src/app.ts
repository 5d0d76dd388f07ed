import { createServer, type Server } from 'node:http';
import { boardPage } from './board.ts';
import type { Report } from './report.ts';

/** The board and its data. It shows names and states of parts, and no object. */
export function createApp(report: () => Report): Server {
  return createServer((request, response) => {
    const [path] = (request.url ?? '/').split('?');
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('X-Content-Type-Options', 'nosniff');
    const current = report();
    switch (path) {
      case '/':
        response.setHeader('Content-Type', 'text/html; charset=utf-8');
        response.setHeader('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'");
        response.end(boardPage(current));
        return;
      case '/report.json':
        response.setHeader('Content-Type', 'application/json');
        response.end(`${JSON.stringify(current, null, 2)}\n`);
        return;
      case '/livez':
        response.end('ok');
        return;
      case '/readyz':
      case '/healthz':
        response.statusCode = current.state === 'failing' ? 500 : 200;
        response.end(current.state === 'failing' ? 'failing\n' : 'ok');
        return;
      default:
        response.writeHead(404).end('404 page not found\n');
    }
  });
}
