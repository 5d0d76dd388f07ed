import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Check, type Endpoint, probeAnswer, probePath, sendText, splitUrl } from '@tidegate/service-kit';
import type { BoardHosts } from './board/board-hosts.ts';
import { boardPage } from './board/page.ts';
import type { History } from './history/history.ts';
import type { Report } from './report.ts';

export interface Shown {
  readonly report: () => Report;
  readonly checks: (endpoint: Endpoint) => readonly Check[];
  readonly history: History;
  readonly now: () => number;
  readonly hosts: BoardHosts;
}

/** the page may use its own style and script only, and may load, send or frame nothing else */
const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const FILES: Readonly<Record<string, readonly [type: string, file: URL]>> = {
  '/board.css': ['text/css; charset=utf-8', new URL('./board/board.css', import.meta.url)],
  '/board.js': ['text/javascript; charset=utf-8', new URL('./board/board.js', import.meta.url)],
};

const MISDIRECTED = 'the board is not served under this host name; --board-hosts of the health service adds names\n';

/** Serves the board, its data and the aggregate probes. It shows names and states of parts, and no objects. */
export function createApp(shown: Shown): Server {
  const files = new Map(
    Object.entries(FILES).map(([path, [type, file]]) => [path, { type, text: readFileSync(file) }]),
  );
  const pages: Pages = {
    board: cached(shown.now, () => boardPage(shown.report(), shown.history, shown.now())),
    history: cached(shown.now, () => json(historyOf(shown))),
  };
  return createServer((request, response) => {
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Referrer-Policy', 'no-referrer');
    response.setHeader('Content-Security-Policy', POLICY);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      sendText(response.setHeader('Allow', 'GET, HEAD'), 405, 'method not allowed\n');
      return;
    }
    if (!isProbe(request) && !shown.hosts.has(request)) {
      sendText(response, 421, MISDIRECTED);
      return;
    }
    const file = files.get(request.url ?? '');
    if (file !== undefined) response.setHeader('Content-Type', file.type).end(file.text);
    else answer(shown, pages, request, response);
  });
}

/**
 * Probes have no host check, because kubelets and load balancers use any address. Like metrics, they show names and
 * states only.
 */
function isProbe({ url = '/' }: IncomingMessage): boolean {
  return probePath(splitUrl(url).path) !== undefined;
}

/** Pages are cached for a moment, because with a hundred replicas rendering takes 50 ms of the event loop. */
interface Pages {
  readonly board: () => string;
  readonly history: () => string;
}

const CACHED_MS = 500;

function cached(now: () => number, make: () => string): () => string {
  let page: { readonly text: string; readonly at: number } | undefined;
  return () => {
    const at = now();
    // the page is also rendered again after the clock was set back
    if (page === undefined || Math.abs(at - page.at) >= CACHED_MS) page = { text: make(), at };
    return page.text;
  };
}

function answer(shown: Shown, pages: Pages, { url = '/' }: IncomingMessage, response: ServerResponse): void {
  const { path, query } = splitUrl(url);
  switch (path) {
    case '/':
      response.setHeader('Content-Type', 'text/html; charset=utf-8');
      response.end(pages.board());
      return;
    case '/report.json':
      sendJson(response, json({ ...shown.report(), events: shown.history.events }));
      return;
    case '/history.json':
      sendJson(response, pages.history());
      return;
  }
  const probed = probePath(path);
  const probeQuery = { verbose: query.has('verbose'), exclude: query.getAll('exclude') };
  const found = probed && probeAnswer(shown.checks(probed.endpoint), probed.name, probeQuery);
  sendText(response, found?.code ?? 404, found?.text ?? '404 page not found\n');
}

/** Every kept minute, oldest first. A state is a digit: 0 unknown, 1 ok, 2 degraded, 3 failing. */
function historyOf({ report, history, now }: Shown) {
  const at = now();
  const replicas = report().parts.map(({ part, instance, address, checks }) => {
    const series = history.of(address, at);
    const states = (name: string) => series.states(name, history.minutes, 1).join('');
    return {
      part,
      instance,
      address,
      state: states(''),
      checks: Object.fromEntries(checks.map(({ name }) => [name, states(name)])),
      lagMs: series.lagMs(history.minutes, 1).map((ms) => Math.round(ms * 10) / 10),
    };
  });
  return { at: new Date(at).toISOString(), minutes: history.minutes, replicas };
}

function sendJson(response: ServerResponse, text: string): void {
  response.setHeader('Content-Type', 'application/json');
  response.end(text);
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
