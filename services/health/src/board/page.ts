import type { History, Series } from '../history/history.ts';
import { REACHABLE } from '../probes/replica.ts';
import type { Report, ReportedReplica } from '../report.ts';
import { amountBars, stateBars } from './bars.ts';
import { combinedFigures, figures, span } from './figures.ts';
import { type Html, html } from './html.ts';

/** the last hour by minutes, the last day by half hours */
const HOUR = { spans: 60, minutes: 1, text: 'last hour, by minutes' } as const;
const DAY = { spans: 48, minutes: 30, text: 'last day, by half hours' } as const;
const SHOWN_EVENTS = 20;
const SYMBOLS = { ok: '✓', degraded: '!', stopping: '…', failing: '✕', unreachable: '✕' } as const;
const HEADINGS: Readonly<Record<string, string>> = {
  gateway: 'Gateways',
  store: 'Stores',
  watch: 'Watch services',
  unknown: 'Not answered yet',
};

type State = keyof typeof SYMBOLS;

/** The report as a page. Without scripts it reloads itself; with scripts it is updated in place. */
export function boardPage(report: Report, history: History, now: number): string {
  const parts = Map.groupBy(report.parts, ({ part }) => part);
  const sections = [...parts].map(([part, replicas]) => partSection(part, replicas, { report, history, now }));
  const text = { ok: 'is healthy', degraded: 'is degraded', failing: 'is failing' }[report.state];
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Tidegate ${text}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/board.css">
<noscript><meta http-equiv="refresh" content="5"></noscript>
<script src="/board.js" defer></script>
</head>
<body>
<header>
<h1 class="${report.state}"><span aria-hidden="true">${SYMBOLS[report.state]}</span> <span id="summary" role="status" aria-live="polite">Tidegate ${text}</span></h1>
<p>As of <time id="at" datetime="${report.at}">${clock(report.at)}</time> UTC, revision ${report.revision}. <span id="live" role="status" aria-live="polite"></span></p>
</header>
<main id="main">
${failures(report)}
${overview(parts)}
${sections}
${events(history)}
</main>
<footer><p>As data: <a href="/report.json">report.json</a>, <a href="/history.json">history.json</a>, <a href="/readyz?verbose">readyz</a>. History is kept in memory, and is lost when this service restarts.</p></footer>
</body>
</html>
`.text;
}

interface PageContext {
  readonly report: Report;
  readonly history: History;
  readonly now: number;
}

/** The failing checks, which are shown first. */
function failures({ parts }: Report): Html {
  const lines = parts.flatMap(({ part, instance, checks }) =>
    checks
      .filter(({ ok }) => !ok)
      .map(
        ({ name, required, message, since }) =>
          html`<li class="${required ? 'failing' : 'degraded'}"><strong>${part}/${instance}/${name}</strong>${message === '' ? '' : `: ${message}`} <span class="since">since ${clock(since)}</span></li>`,
      ),
  );
  if (lines.length === 0) return html``;
  return html`<section id="section-troubles" aria-labelledby="troubles"><h2 id="troubles">Failing checks</h2><ul class="troubles">${lines}</ul></section>`;
}

function overview(parts: ReadonlyMap<string, readonly ReportedReplica[]>): Html {
  const rows = [...parts].map(([part, replicas]) => {
    const ready = replicas.filter(({ state }) => state === 'ok' || state === 'degraded').length;
    const { requests, lag, watchers, revision } = combinedFigures(replicas);
    return html`<tr><th scope="row">${HEADINGS[part] ?? part}</th><td>${ready} of ${replicas.length}</td><td>${revision}</td><td>${requests}</td><td>${lag}</td><td>${watchers}</td></tr>`;
  });
  return html`<section id="section-parts" aria-labelledby="parts"><h2 id="parts">Parts</h2>
<div class="wide" role="region" aria-labelledby="parts" tabindex="0"><table>
<thead><tr><th scope="col">Part</th><th scope="col">Ready</th><th scope="col">Revision</th><th scope="col">Requests/s</th><th scope="col">Lag</th><th scope="col">Watchers</th></tr></thead>
<tbody>${rows}</tbody>
</table></div></section>`;
}

function partSection(part: string, replicas: readonly ReportedReplica[], context: PageContext): Html {
  const id = `part-${part}`;
  const cards = replicas.map((replica, i) => card(replica, `${id}-${i}`, context));
  return html`<section id="section-${id}" aria-labelledby="${id}"><h2 id="${id}">${HEADINGS[part] ?? part}</h2><div class="cards">${cards}</div></section>`;
}

function card(replica: ReportedReplica, id: string, { report, history, now }: PageContext): Html {
  const { instance, address, state, since, load } = replica;
  const series = history.of(address, now);
  const terms = figures(replica, report.revision).map(
    ([name, value]) =>
      html`<div class="${name.toLowerCase().replaceAll(/[^a-z]/g, '-')}"><dt>${name}</dt><dd>${value}</dd></div>`,
  );
  const lag = load === null ? html`` : lagRow(series);
  return html`<article class="card" id="card-${id}" aria-labelledby="${id}">
<h3 id="${id}">${instance}</h3>
<p class="${state}"><span class="badge">${badge(state)}</span> <span class="since">${state === 'unreachable' ? 'unreachable' : 'reachable'} for ${span(now - Date.parse(since))}</span></p>
<dl>${terms}</dl>
<div class="strip"><span>Last day</span>${stateBars(series.states('', DAY.spans, DAY.minutes), DAY.text)}</div>
${lag}
<table>
<caption>Checks of ${instance}</caption>
<thead><tr><th scope="col">Check</th><th scope="col">State</th><th scope="col">Last hour</th></tr></thead>
<tbody>${checkRows(replica, series)}</tbody>
</table>
</article>`;
}

function lagRow(series: Series): Html {
  return html`<div class="strip"><span>Lag</span>${amountBars(series.lagMs(HOUR.spans, HOUR.minutes), HOUR.text, 'ms')}</div>`;
}

function checkRows({ checks, state }: ReportedReplica, series: Series): readonly Html[] {
  const [done, others] = [checks.filter(isDoneHook), checks.filter((check) => !isDoneHook(check))];
  const rows = others.map(({ name, ok, required, message }) => {
    // the last message of an unreachable replica is outdated
    const isStale = state === 'unreachable' && name !== REACHABLE;
    const label = isStale ? 'unknown' : ok ? 'ok' : required ? 'failing' : 'degraded';
    const why = ok || isStale || message === '' ? html`` : html`<span class="why">${message}</span>`;
    return html`<tr><th scope="row">${name}</th><td class="${label}"><span class="badge">${badge(label)}</span>${why}</td><td>${stateBars(series.states(name, HOUR.spans, HOUR.minutes), HOUR.text)}</td></tr>`;
  });
  if (done.length === 0 || state === 'unreachable') return rows;
  const label = `start-up (${done.length} hooks)`;
  return [
    ...rows,
    html`<tr><th scope="row">${label}</th><td class="ok"><span class="badge">${badge('ok')}</span></td><td></td></tr>`,
  ];
}

/** A start-up hook that is done stays done, so it needs no row. */
function isDoneHook({ name, ok }: { readonly name: string; readonly ok: boolean }): boolean {
  return ok && name.startsWith('poststarthook/');
}

function badge(state: State | 'unknown'): Html {
  const symbol = state === 'unknown' ? '?' : SYMBOLS[state];
  return html`<span aria-hidden="true">${symbol}</span> ${state}`;
}

function events({ events }: History): Html {
  const rows = events
    .slice(0, SHOWN_EVENTS)
    .map(
      ({ at, what, ok, message }) =>
        html`<tr><td><time datetime="${at}">${at.slice(0, 10)} ${clock(at)}</time></td><th scope="row">${what}</th><td class="${ok ? 'ok' : 'failing'}">${badge(ok ? 'ok' : 'failing')}</td><td>${message}</td></tr>`,
    );
  const table =
    rows.length === 0
      ? html`<p>No changes since this service was started.</p>`
      : html`<div class="wide" role="region" aria-labelledby="events" tabindex="0"><table><thead><tr><th scope="col">When (UTC)</th><th scope="col">What</th><th scope="col">Became</th><th scope="col">Why</th></tr></thead><tbody>${rows}</tbody></table></div>`;
  return html`<section id="section-events" aria-labelledby="events"><h2 id="events">Recent changes</h2>${table}</section>`;
}

function clock(iso: string): string {
  return iso.slice(11, 19);
}
