import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AUDIT_LOG, OBSERVED } from '../support/observed.ts';
import { AttackTarget } from './attack-target.ts';

const FORGED = '{"kind":"Event","verb":"forged"}';

describe('Log injection', () => {
  let target: AttackTarget;
  before(async () => {
    target = await AttackTarget.open(OBSERVED);
  });
  after(async () => {
    await target?.close();
  });

  test('Input of clients creates no log lines and no terminal escape sequences.', async () => {
    const odd = `x\u001b[2Jx${FORGED}`;
    const escaped = `%0a${encodeURIComponent(FORGED)}%0d%0a%1b[2J%u2028`;
    await target.requestRawPath('GET', `/api/v1/namespaces/${escaped}/pods/${escaped}?labelSelector=${escaped}`);
    await target.requestRawPath('GET', `/nowhere/${escaped}`);
    await target.requestRawPath('GET', '/livez', {
      'User-Agent': `x\t${FORGED}`,
      'Audit-Id': `x\t${FORGED}`,
      'X-Forwarded-For': FORGED,
    });
    await target.request('POST', '/api/v1/namespaces/own/configmaps', {
      body: { metadata: { name: odd }, data: { a: odd } },
    });
    await target.client.request('POST', '/api/v1/namespaces/own/configmaps', {
      body: { metadata: { name: odd }, data: { a: `\n${FORGED}\n` } },
    });
    await target.client.request('GET', '/api/v1/namespaces', {
      headers: { 'Impersonate-User': `x\t${FORGED}`, 'Impersonate-Group': `\t${FORGED}` },
    });
    await target.client.request('GET', '/api/v1/namespaces', {
      headers: { traceparent: `00-${'a'.repeat(32)}-b\t${FORGED}`, accept: `\t${FORGED}` },
    });

    const logs = join(target.system.tidegate.dataDir, 'logs');
    const files = [
      AUDIT_LOG,
      ...readdirSync(logs)
        .filter((name) => /^(gateway|store|watch)/.test(name))
        .map((name) => join(logs, name)),
    ];
    for (const file of files) {
      const text = readFileSync(file, 'utf8');
      assert.equal(text.includes('\u001b'), false, file);
      for (const line of text.split('\n').filter((one) => one !== '')) {
        const read = JSON.parse(line);
        assert.notEqual(read.verb, 'forged', file);
      }
    }
    assert.ok(readFileSync(AUDIT_LOG, 'utf8').includes('forged'), 'the input itself is recorded');
  });
});
