import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Check } from './checks.ts';
import { splitUrl } from './ops-server.ts';
import { probeAnswer, probePath } from './probe.ts';

interface Recorded {
  readonly state: string;
  readonly path: string;
  readonly code: number;
  readonly anonymous?: true;
  readonly text: string;
}

const file = new URL('../recorded/probes.json', import.meta.url);
const { answers } = JSON.parse(readFileSync(file, 'utf8')) as { answers: Recorded[] };
const LINE = /^\[(.)\](\S+) (ok|failed: reason withheld)$/;

/** The checks that a server had in a state, by what it said of all of them and of each. */
function checksOf(state: string, endpoint: string): Check[] {
  const said = (path: string) =>
    answers.find((row) => row.state === state && (row.path === path || row.path.startsWith(`${path}?`)))?.text ?? '';
  return said(`/${endpoint}?verbose`)
    .split('\n')
    .flatMap((line) => {
      const [, sign, name] = LINE.exec(line) ?? [];
      if (name === undefined) return [];
      const why = said(`/${endpoint}/${name}`).replace('internal server error: ', '').trimEnd();
      return [{ name, required: true, failing: () => (sign === '-' ? why : undefined) }];
    });
}

/** The last line is the same word on all endpoints here, as this project's contract says. */
function here(text: string): string {
  return text.replace(/^(livez|readyz|healthz) check/m, 'healthz check');
}

test('Probes answer as kube-apiserver was recorded to answer: well, without its storage, and while it stops.', () => {
  let compared = 0;
  for (const { state, path: url, anonymous, code, text } of answers) {
    // who may ask, and how paths are read, is not the matter of a probe
    if (anonymous || text === '' || url.includes('%2F')) continue;
    const { path, query } = splitUrl(url);
    const probed = probePath(path);
    const asked = { verbose: query.has('verbose'), exclude: query.getAll('exclude') };
    const answer = probed && probeAnswer(checksOf(state, probed.endpoint), probed.name, asked);
    assert.deepEqual(
      answer ?? { code: 404, text: '404 page not found\n' },
      { code, text: here(text) },
      `${state} ${url}`,
    );
    compared++;
  }
  assert.ok(compared > 60, `${compared}`);
});
