import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { startTidegate, type TestTidegate } from '@tidegate/testkit';
import { EnteredFiles } from '../testing/entered-files.ts';
import { type InProcessGateway, inProcessGateway } from '../testing/in-process-gateway.ts';

const PAGE = new URL('../../../../docs/flow.md', import.meta.url);
const SOURCES = new URL('../', import.meta.url);
/** the first function that knows the request */
const ENTRY = { file: 'serving/request-server.ts', name: 'serve' };
const PATH = '/api/v1/namespaces/default/configmaps';

describe('The files that a PUT enters', () => {
  let system: TestTidegate;
  let here: InProcessGateway;
  let recorder: EnteredFiles;

  before(async () => {
    system = await startTidegate();
    here = await inProcessGateway(system);
    recorder = await EnteredFiles.start(SOURCES, ENTRY);
  });

  after(async () => {
    await recorder?.stop();
    await here?.stop();
    await system?.stop();
  });

  const put = (value: string) =>
    here.ask('PUT', `${PATH}/flow`, system.token, { metadata: { name: 'flow' }, data: { value } });

  test('are entered in the order in which docs/flow.md lists them.', async () => {
    assert.equal(await here.ask('POST', PATH, system.token, { metadata: { name: 'flow' } }), 201);
    // from now on the mirror has the current object, so only the commit calls the store
    assert.equal(await here.ask('GET', `${PATH}?resourceVersion=0`, system.token), 200);
    for (const value of ['one', 'two', 'three']) assert.equal(await put(value), 200);
    await recorder.watch();
    const entered = await recorder.of(() => put('four'));
    const listed = [...filesIn('Every request'), ...filesIn('PUT')].filter((file) => file !== 'listener/app.ts');
    assert.deepEqual(
      listed.filter((file) => !entered.includes(file)),
      [],
      'docs/flow.md lists a file that a PUT does not enter',
    );
    assert.deepEqual(
      entered.filter((file) => listed.includes(file)),
      listed,
      'a PUT enters the files in another order',
    );
  });
});

/** The gateway's files in one table of docs/flow.md. */
function filesIn(heading: string): string[] {
  const page = readFileSync(PAGE, 'utf8');
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  return [...section.matchAll(/^\| `services\/gateway\/src\/([^`]+)` \|/gm)].map(([, file = '']) => file);
}
