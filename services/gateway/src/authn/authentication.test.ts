import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type TestAuthority, temporaryDir, testAuthority } from '@tidegate/testkit';
import { type AuthenticationConfig, authentication } from './authentication.ts';

const usual: AuthenticationConfig = {
  clientCaFile: '',
  requestheaderClientCaFile: '',
  requestheaderAllowedNames: [],
  requestheaderUsernameHeaders: ['X-Remote-User'],
  requestheaderUidHeaders: [],
  requestheaderGroupHeaders: [],
  requestheaderExtraHeadersPrefix: [],
  tokenAuthFile: [],
  serviceAccountIssuer: ['https://own'],
  apiAudiences: [],
  anonymousAuth: true,
  authenticationConfig: '',
  authenticationTokenWebhookConfigFile: '',
  authenticationTokenWebhookVersion: 'v1beta1',
  authenticationTokenWebhookCacheTtl: '2m',
  oidcIssuerUrl: '',
  oidcClientId: '',
  oidcUsernameClaim: 'sub',
  oidcUsernamePrefix: '',
  oidcGroupsClaim: '',
  oidcGroupsPrefix: '',
  oidcRequiredClaim: [],
  oidcSigningAlgs: ['RS256'],
  oidcCaFile: '',
};

describe('The options of authentication', () => {
  const place = temporaryDir('authentication');
  const file = (name: string) => join(place.path, name);
  const log = { info() {}, warn() {} } as never;
  const refused: string[] = [];
  let authority: TestAuthority;
  const made = (config: Partial<AuthenticationConfig>) => {
    const dependencies = {
      serviceAccounts: undefined,
      calls: {} as never,
      log,
      refused: (why: string) => refused.push(why),
      warn: () => {},
    };
    const all = authentication({ ...usual, ...config }, dependencies);
    all.stop();
    return all;
  };
  const whoAsks = async (config: Partial<AuthenticationConfig>, url: string, headers: object = {}) => {
    const { authenticator } = made(config);
    const request = { url, headers, rawHeaders: [], socket: {} } as unknown as IncomingMessage;
    return authenticator.authenticate(request).then(
      ({ name }) => name,
      ({ code }) => code,
    );
  };
  before(async () => {
    authority = await testAuthority();
    writeFileSync(file('ca.crt'), authority.ca);
    writeFileSync(file('other.crt'), (await testAuthority('other')).ca);
    writeFileSync(file('nonsense'), 'nonsense');
    const head = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthenticationConfiguration' };
    writeFileSync(file('open.yaml'), JSON.stringify({ ...head, anonymous: { enabled: true } }));
    writeFileSync(file('closed.yaml'), JSON.stringify({ ...head, anonymous: { enabled: false } }));
  });
  after(() => place.remove());

  test('allow anonymous requests to health and the version, to nothing, or to the paths of a file', async () => {
    const ask = (config: Partial<AuthenticationConfig>) =>
      Promise.all(['/livez', '/api'].map((url) => whoAsks(config, url)));
    assert.deepEqual(await ask({}), ['system:anonymous', 401]);
    assert.deepEqual(await ask({ anonymousAuth: false }), [401, 401]);
    assert.deepEqual(await ask({ authenticationConfig: file('open.yaml') }), ['system:anonymous', 'system:anonymous']);
    assert.deepEqual(await ask({ authenticationConfig: file('closed.yaml') }), [401, 401]);
  });

  test('do not turn failed authentication into an anonymous request', async () => {
    const open = { authenticationConfig: file('open.yaml') };
    for (const authorization of ['Bearer x', 'Basic x', '']) {
      assert.equal(await whoAsks(open, '/livez', { authorization }), 401, authorization);
    }
  });

  test('allow one authority for clients and front proxies only together with allowed names', () => {
    const both = { clientCaFile: file('ca.crt'), requestheaderClientCaFile: file('ca.crt') };
    assert.throws(
      () => made(both),
      /contain overlapping certificates; --requestheader-allowed-names must be specified/,
    );
    made({ ...both, requestheaderAllowedNames: ['proxy'] });
    made({ ...both, requestheaderClientCaFile: file('other.crt') });
  });

  for (const [config, words] of [
    [{ clientCaFile: 'nonsense' }, /--client-ca-file: .*nonsense contains no certificate/],
    [{ requestheaderClientCaFile: 'none' }, /--requestheader-client-ca-file: cannot read .*none/],
    [
      { authenticationConfig: 'open.yaml', anonymousAuth: false },
      /--anonymous-auth and anonymous in the file .* exclude/,
    ],
    [
      { authenticationConfig: 'open.yaml', oidcIssuerUrl: 'https://i', oidcClientId: 'kube' },
      /--oidc-issuer-url and --authentication-config exclude each other: name the issuer in the file/,
    ],
    [
      { authenticationTokenWebhookConfigFile: 'nonsense', authenticationTokenWebhookVersion: 'v2' },
      /--authentication-token-webhook-version takes v1 and v1beta1, not "v2"/,
    ],
    [{ authenticationTokenWebhookConfigFile: 'nonsense' }, /nonsense has no current context/],
  ] as const) {
    test(`is refused: ${words.source}`, () => {
      const placed = Object.entries(config).map(([name, value]) => [
        name,
        /File$|Config$/.test(name) ? file(String(value)) : value,
      ]);
      assert.throws(() => made(Object.fromEntries(placed)), { message: words });
    });
  }
});
