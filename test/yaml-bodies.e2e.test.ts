import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { readYamlCases, until, type YamlVerdict, yamlThings, yamlVerdicts } from '@tidegate/testkit';
import type { Client } from './support/client.ts';
import type { RunningSystem } from './support/running-system.ts';
import { sharedSystem } from './support/shared-system.ts';

const file = join(import.meta.dirname, '../packages/schema/recorded/yaml.json');

describe('YAML bodies', () => {
  let system: RunningSystem;
  let client: Client;
  before(async () => {
    system = await sharedSystem();
    ({ client } = system);
    await client.request('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body: yamlThings });
    const served = async () => (await client.get('/apis/yaml.example.com/v1/things')).code === 200;
    await until('the things to be served', served);
  });
  after(() => system.stop());

  test('Every recorded text is decoded as in kube-apiserver, for each type of field.', async () => {
    const ask = client.request.bind(client);
    const wrong: unknown[] = [];
    for (const one of readYamlCases(file)) {
      const here = await yamlVerdicts(ask, JSON.parse, one);
      for (const [field, verdict] of Object.entries({ ...one.said, ...one.here })) {
        const made = plain(here[field]);
        if (!isDeepStrictEqual(made, plain(verdict)))
          wrong.push({ text: one.scalar ?? one.block ?? one.document, field, made, wanted: verdict });
      }
    }
    assert.deepEqual(wrong, [], JSON.stringify(wrong, null, 1));
  });
});

/** Ignores the texts of warnings, and digits beyond the precision of doubles. */
const plain = ({ warning: _, ...verdict }: YamlVerdict = {}): unknown => JSON.parse(JSON.stringify(verdict));
