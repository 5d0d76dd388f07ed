import assert from 'node:assert/strict';
import { test } from 'node:test';
import { History } from '../history/history.ts';
import { reportOf } from '../report.ts';
import { replica } from '../testing/answers.ts';
import { amountBars, stateBars } from './bars.ts';
import { boardPage } from './page.ts';

function page(reported: Parameters<typeof replica>[0]): string {
  const one = replica(reported);
  const history = new History();
  const changes = [{ check: 'postgres', passes: false, message: '<i>why</i>' }];
  history.note(one, changes, 60_000);
  return boardPage(reportOf([one], 60_000), history, 60_000);
}

test('Texts from parts are never markup.', () => {
  const evil = `"><script>alert('x')</script>&amp;`;
  const text = page({ part: evil, instance: evil, checks: { [evil]: { ok: false, message: evil } } });
  assert.doesNotMatch(text, /<script>alert|<i>why/);
  assert.doesNotMatch(text, /="">/);
  assert.match(text, /&#60;script&#62;alert\(&#39;x&#39;\)/);
});

test('The page has no inline style or script, and reloads itself without scripts.', () => {
  const text = page({});
  assert.doesNotMatch(text, /<style|style=|<script>| on[a-z]+=/);
  assert.match(text, /<noscript><meta http-equiv="refresh" content="5"><\/noscript>/);
});

test('Failures come first, with their reasons.', () => {
  const text = page({ checks: { postgres: { ok: false, message: 'gone' } } });
  assert.match(text, /<title>Tidegate is failing<\/title>/);
  assert.match(text, /Failing checks.*store\/store-1\/postgres<\/strong>: gone/s);
});

test('A replica has its figures, and its distance from the newest revision.', () => {
  const text = boardPage(
    reportOf([replica({ revision: 7 }), replica({ instance: 'store-2', revision: 3 })], 0),
    new History(),
    0,
  );
  for (const figure of ['7', '3 (4 behind)', '12', '3.2 ms', '100 MiB', '7.5 ms', '1 min'])
    assert.match(text, new RegExp(`<dd>${figure.replaceAll(/[().]/g, '\\$&')}</dd>`), figure);
});

test('Bars have a text with the same content, and equal neighbours are one bar.', () => {
  const { text } = stateBars([0, 1, 1, 1, 3, 1], 'last hour');
  assert.match(text, /aria-label="last hour: failing in 1 of 5 with data"/);
  assert.equal(text.match(/<rect/g)?.length, 4);
  assert.match(stateBars([1, 1], 'x').text, /x: ok in all 2 with data/);
  assert.match(stateBars([0, 0], 'x').text, /x: no data/);
  assert.match(amountBars([0, 2.5, 20], 'x', 'ms').text, /x: at most 20 ms/);
});
