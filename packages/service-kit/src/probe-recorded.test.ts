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

/** The checks of a server in a state, from the recorded responses for all checks and for each check. */
function checksOf(state: string, endpoint: string): Check[] {
  const recordedText = (path: string) =>
    answers.find((row) => row.state === state && (row.path === path || row.path.startsWith(`${path}?`)))?.text ?? '';
  return recordedText(`/${endpoint}?verbose`)
    .split('\n')
    .flatMap((line) => {
      const [, sign, name] = LINE.exec(line) ?? [];
      if (name === undefined) return [];
      const why = recordedText(`/${endpoint}/${name}`).replace('internal server error: ', '').trimEnd();
      return [{ name, required: true, failing: () => (sign === '-' ? why : undefined) }];
    });
}

/** The last line is the same word on all endpoints here, as this project's contract says. */
function here(text: string): string {
  return text.replace(/^(livez|readyz|healthz) check/m, 'healthz check');
}

test('Probes return the recorded responses of kube-apiserver: well, without its storage, and while it stops.', () => {
  let compared = 0;
  for (const { state, path: url, anonymous, code, text } of answers) {
    // authorization and the parsing of paths are not part of probes
    if (anonymous || text === '' || url.includes('%2F')) continue;
    const { path, query } = splitUrl(url);
    const probed = probePath(path);
    const options = { verbose: query.has('verbose'), exclude: query.getAll('exclude') };
    const answer = probed && probeAnswer(checksOf(state, probed.endpoint), probed.name, options);
    assert.deepEqual(
      answer ?? { code: 404, text: '404 page not found\n' },
      { code, text: here(text) },
      `${state} ${url}`,
    );
    compared++;
  }
  assert.ok(compared > 60, `${compared}`);
});
