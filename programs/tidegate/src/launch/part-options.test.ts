import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SET_HERE, splitPartOptions } from './part-options.ts';
import { planned } from './parts.fixture.ts';

test("Options of the parts are passed on to them, and the other options are the launcher's.", async () => {
  const { own, variables } = await splitPartOptions([
    '--port=1',
    '--oidc-issuer-url=https://a=b',
    '--data-dir',
    '/x',
    '--authorization-mode',
    'RBAC',
    '--api-audiences=a',
    '--api-audiences=b,c',
    '--tls-sni-cert-key=a,b:n',
    '--tls-sni-cert-key=c,d',
    '--audit-log-compress',
    '--window-seconds=60',
    '--ephemeral',
  ]);
  assert.deepEqual(own, ['--port=1', '--data-dir', '/x', '--ephemeral']);
  assert.deepEqual(variables, {
    TIDEGATE_OIDC_ISSUER_URL: 'https://a=b',
    TIDEGATE_AUTHORIZATION_MODE: 'RBAC',
    TIDEGATE_API_AUDIENCES: 'a,b,c',
    TIDEGATE_TLS_SNI_CERT_KEY: 'a,b:n;c,d',
    TIDEGATE_AUDIT_LOG_COMPRESS: 'true',
    TIDEGATE_WINDOW_SECONDS: '60',
  });
});

const refused: ReadonlyArray<[argv: string[], words: RegExp]> = [
  [['--oidc-isuer-url=x'], /unknown option --oidc-isuer-url; did you mean --oidc-issuer-url\?/],
  [['--prot=1'], /unknown option --prot; did you mean --port\?/],
  [['--constructor=1'], /unknown option --constructor$/],
  [['--store-addresses=a'], /--store-addresses is set by tidegate start itself/],
  [['--oidc-issuer-url'], /--oidc-issuer-url needs a value/],
];

for (const [argv, words] of refused) {
  test(`${argv.join(' ')} is rejected`, () => assert.rejects(splitPartOptions(argv), words));
}

test('Options that the launcher sets itself cannot be set by the user.', () => {
  const flags = planned()
    .flatMap(({ args }) => args)
    .map((argument) => argument.slice(2, argument.indexOf('=')));
  const both = [
    'bind-address',
    'port',
    'token-auth-file',
    'client-ca-file',
    'feature-gates',
    'encryption-provider-config',
    'otlp-endpoint',
    'log-level',
  ];
  const missing = flags.filter((name) => !SET_HERE.includes(name) && !both.includes(name));
  assert.deepEqual([...new Set(missing)], []);
});
