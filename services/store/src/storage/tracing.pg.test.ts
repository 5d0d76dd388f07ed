import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MetricRegistry, type Tracing } from '@tidegate/service-kit';
import { startPostgres } from '@tidegate/testkit';
import { Vault } from '../encryption/vault.ts';
import { storeMetrics } from '../metrics.ts';
import { changesOf } from '../publish/changes-of.ts';
import { keyOf, openStorage, silentLog, write } from '../testing/fixture.ts';
import { CommitBatcher, type Committed } from './commits/commit-batcher.ts';

interface Span {
  name: string;
  parent: string;
  traceparent: string;
  ended: boolean;
}

/** Keeps the spans of sampled parents, as the real one does. */
function recorder(): { tracing: Tracing; spans: Span[] } {
  const spans: Span[] = [];
  const tracing: Tracing = {
    enabled: true,
    request: () => undefined,
    child(name, parent) {
      if (!parent?.endsWith('-01')) return undefined;
      const span: Span = { name, parent, traceparent: `${name}-${spans.length}-01`, ended: false };
      spans.push(span);
      return {
        traceparent: span.traceparent,
        traceId: '',
        set: () => {},
        end: () => {
          span.ended = true;
        },
      };
    },
    shutdown: async () => {},
  };
  return { tracing, spans };
}

test('A sampled write has a span with the call to PostgreSQL, and its change has a child span; other writes have none.', async () => {
  const postgres = await startPostgres();
  const storage = await openStorage(postgres.url);
  try {
    const { tracing, spans } = recorder();
    const committed: Committed[] = [];
    const commits = new CommitBatcher({
      pool: storage.database.commits,
      vault: new Vault(),
      notify: false,
      metrics: storeMetrics(new MetricRegistry()),
      tracing,
      log: silentLog,
      onCommit: (one) => committed.push(one),
    });
    await commits.submit([
      write('create', keyOf('sampled'), { traceparent: 'request-01' }),
      write('create', keyOf('unsampled'), { traceparent: 'request-00' }),
      write('create', keyOf('untraced')),
    ]);
    assert.deepEqual(
      spans.map(({ name, parent, ended }) => [name, parent, ended]),
      [
        ['store.commit', 'request-01', true],
        ['postgresql.commit', 'store.commit-0-01', true],
      ],
    );
    assert.deepEqual(
      changesOf(committed[0]!).changes.map((change) => change.traceparent),
      ['store.commit-0-01', '', ''],
    );
  } finally {
    await storage.close();
    await postgres.stop();
  }
});
