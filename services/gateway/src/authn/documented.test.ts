import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { temporaryDir } from '@tidegate/testkit';
import { authorizationModes } from '../authz/authorization-configuration.ts';
import { options } from '../config.ts';
import { readAuthenticationConfiguration } from './authentication-configuration.ts';

const place = temporaryDir('documented');
after(() => place.remove());

const pages = join(import.meta.dirname, '../../../../docs/operate');
const page = (name: string) => readFileSync(join(pages, name), 'utf8');
const file = join(place.path, 'config.yaml');
const kubeconfig = join(place.path, 'kubeconfig');

function examples(name: string, kind: string): string[] {
  const blocks = [...page(name).matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => text);
  const found = blocks.filter((text) => text.includes(`kind: ${kind}\n`));
  assert.ok(found.length > 0, `${name} shows no ${kind}`);
  return found;
}

test('the documented authentication files are valid', () => {
  for (const text of examples('authentication.md', 'AuthenticationConfiguration')) {
    writeFileSync(file, text);
    const { anonymous, issuers } = readAuthenticationConfiguration(file, []);
    assert.ok(anonymous !== undefined || issuers.length > 0);
  }
});

test('the documented authorization file is valid with the documented kubeconfig', () => {
  const [documented = ''] = examples('authentication.md', 'Config');
  writeFileSync(kubeconfig, documented.replaceAll(/: \/etc\/tidegate\/[\w.-]+/g, `: ${file}`));
  for (const text of examples('authorization.md', 'AuthorizationConfiguration')) {
    writeFileSync(file, text.replace(/kubeConfigFile: \S+/, `kubeConfigFile: ${kubeconfig}`));
    const config = {
      authorizationMode: ['RBAC'],
      authorizationConfig: file,
      authorizationWebhookConfigFile: '',
      authorizationWebhookVersion: 'v1',
      authorizationWebhookCacheAuthorizedTtl: '5m',
      authorizationWebhookCacheUnauthorizedTtl: '30s',
    };
    const { steps } = authorizationModes(config, { calls: {} as never, warn: () => {} });
    assert.equal(steps.length, 2);
  }
});

test('every option on the page about authentication exists in the gateway', () => {
  const names = [...page('authentication.md').matchAll(/`--([a-z-]+)/g)].map(([, name = '']) => name);
  assert.deepEqual(
    [...new Set(names)].filter((name) => !Object.hasOwn(options, name)),
    [],
  );
  const variables = [...page('authentication.md').matchAll(/TIDEGATE_([A-Z_]+)=/g)].map(([, name = '']) => name);
  const known = new Set(Object.keys(options).map((name) => name.toUpperCase().replaceAll('-', '_')));
  assert.deepEqual(
    variables.filter((name) => !known.has(name)),
    [],
  );
});
