import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '@tidegate/schema';
import { Place } from '../rules/place.ts';
import type { Check } from '../rules/type-rules.ts';
import { checkHostProcesses, checkOperatingSystem, securityChecks } from './security.ts';

/** The errors of a spec as `field: text`. */
function wrongIn(spec: JsonObject, look: (spec: Place, containers: Place[]) => void): string[] {
  const errors: Array<{ field: string; message: string }> = [];
  const place = new Place(undefined, '', { spec }, errors as never).field('spec');
  look(place, place.field('containers').items());
  return errors.map(({ field, message }) => `${field}: ${message}`);
}

/** The errors of a value in one field of a type. */
function errorsOf(type: string, field: string, value: Json): string[] {
  const rules = securityChecks[type]?.[field] as Check | readonly Check[];
  return wrongIn({ it: value }, (spec) => {
    for (const check of [rules].flat()) check(spec.field('it'));
  }).map((line) => line.slice('spec.it: '.length));
}

const windowsUser = (name: string) => errorsOf('core.v1.WindowsSecurityContextOptions', 'runAsUserName', name);

test('a Windows user has a name, and optionally a domain before it', () => {
  for (const name of ['ann', 'DOMAIN\\ann', 'example.com\\ann']) assert.deepEqual(windowsUser(name), [], name);
  for (const [name, words] of [
    ['', /runAsUserName cannot be an empty string/],
    ['a\tb', /cannot contain control characters/],
    ['a\\b\\c', /cannot contain more than one backslash/],
    ['DOMAIN\\', /User cannot be empty/],
    ['a'.repeat(105), /User length must not be longer than 104 characters/],
    ['. .', /User cannot contain only periods or spaces/],
    ['a|b', /User cannot contain the following characters/],
    [`${'a'.repeat(256)}\\ann`, /Domain length must be under 256 characters/],
    ['-bad-.\\ann', /Domain doesn't match the NetBios nor the DNS format|^$/],
    ['.bad-\\ann', /Domain doesn't match the NetBios nor the DNS format/],
  ] as const) {
    assert.match(windowsUser(name).join('\n'), words, name);
  }
});

test('the credential spec of Windows is present, and not too long', () => {
  const of = (text: string) => errorsOf('core.v1.WindowsSecurityContextOptions', 'gmsaCredentialSpec', text).join();
  assert.equal(of('{}'), '');
  assert.match(of(''), /cannot be an empty string/);
  assert.match(of('x'.repeat(65_537)), /size must be under 64 KiB/);
});

const profile = (type: string, value: JsonObject) => errorsOf(`core.v1.${type}`, '', value).join('\n');

test('localhostProfile is required for the type Localhost, and forbidden for others', () => {
  assert.equal(profile('SeccompProfile', { type: 'RuntimeDefault' }), '');
  assert.equal(profile('SeccompProfile', { type: 'Localhost', localhostProfile: 'a/b.json' }), '');
  assert.match(profile('SeccompProfile', { type: 'Localhost' }), /must be set when seccomp type is Localhost/);
  assert.match(profile('SeccompProfile', { type: 'Localhost', localhostProfile: '/a' }), /must be a relative path/);
  assert.match(profile('SeccompProfile', { type: 'Localhost', localhostProfile: 'a/../b' }), /must not contain '\.\.'/);
  for (const [type, words] of [
    ['SeccompProfile', /can only be set when seccomp type is Localhost/],
    ['AppArmorProfile', /can only be set when AppArmor type is Localhost/],
  ] as const) {
    assert.match(profile(type, { type: 'Unconfined', localhostProfile: 'a' }), words);
  }
  assert.match(profile('AppArmorProfile', { type: 'Localhost', localhostProfile: ' a' }), /padded with whitespace/);
  assert.match(profile('AppArmorProfile', { type: 'Localhost', localhostProfile: '' }), /must be set when AppArmor/);
});

test('a container with allowPrivilegeEscalation false must not be privileged or have CAP_SYS_ADMIN', () => {
  const of = (context: JsonObject) => errorsOf('core.v1.SecurityContext', '', context).join('\n');
  assert.equal(of({ allowPrivilegeEscalation: true, privileged: true }), '');
  assert.match(of({ allowPrivilegeEscalation: false, privileged: true }), /and `privileged` to true/);
  const admin = { allowPrivilegeEscalation: false, capabilities: { add: ['CAP_SYS_ADMIN'] } };
  assert.match(of(admin), /`capabilities\.Add` CAP_SYS_ADMIN/);
});

test('sysctls are unique, and must not be those of the host', () => {
  const check = securityChecks['core.v1.PodSecurityContext']?.sysctls as Check;
  const of = (names: string[], more: JsonObject = {}) => {
    const securityContext = { sysctls: names.map((name) => ({ name, value: '1' })) };
    const wrong = wrongIn({ securityContext, ...more }, (spec) => check(spec.field('securityContext.sysctls')));
    return wrong.join('\n');
  };
  assert.equal(of(['kernel.sem', 'net.core.somaxconn']), '');
  assert.match(of(['kernel.sem', 'kernel/sem']), /sysctls\[1\]\.name: Duplicate value/);
  assert.match(of(['net.core.somaxconn'], { hostNetwork: true }), /may not be specified when 'hostNetwork' is true/);
  for (const name of ['fs.mqueue.msg_max', 'kernel.shm_rmid_forced', 'kernel.msgmax']) {
    assert.match(of([name], { hostIPC: true }), /may not be specified when 'hostIPC' is true/);
  }
  assert.equal(of(['kernel.hostname'], { hostIPC: true }), '');
});

test('a Linux pod has no Windows options, and a Windows pod no fields of Linux', () => {
  const windowsOptions = { runAsUserName: 'ann' };
  const linux = {
    os: { name: 'linux' },
    securityContext: { windowsOptions },
    containers: [{ securityContext: { windowsOptions } }],
  };
  const refused = 'Forbidden: windows options cannot be set for a linux pod';
  assert.deepEqual(wrongIn(linux, checkOperatingSystem), [
    `spec.securityContext.windowsOptions: ${refused}`,
    `spec.containers[0].securityContext.windowsOptions: ${refused}`,
  ]);
  const windows = {
    os: { name: 'windows' },
    hostPID: true,
    hostIPC: false,
    hostUsers: false,
    shareProcessNamespace: false,
    securityContext: { runAsUser: 5, windowsOptions },
    containers: [{ securityContext: { privileged: false, windowsOptions } }, {}],
  };
  assert.deepEqual(
    wrongIn(windows, checkOperatingSystem),
    [
      'hostPID',
      'hostUsers',
      'shareProcessNamespace',
      'securityContext.runAsUser',
      'containers[0].securityContext.privileged',
    ].map((field) => `spec.${field}: Forbidden: cannot be set for a windows pod`),
  );
  assert.deepEqual(wrongIn({ hostPID: true, containers: [] }, checkOperatingSystem), []);
});

test('all containers of a pod are HostProcess containers or none, with the network of the host', () => {
  const context = (hostProcess: boolean) => ({ securityContext: { windowsOptions: { hostProcess } } });
  assert.deepEqual(wrongIn({ containers: [{}, context(false)] }, checkHostProcesses), []);
  const whole = { ...context(true), hostNetwork: true, containers: [{}, context(true)] };
  assert.deepEqual(wrongIn(whole, checkHostProcesses), []);
  const text = wrongIn({ containers: [context(true), {}] }, checkHostProcesses).join('\n');
  assert.match(text, /all containers must be HostProcess containers/);
  assert.match(text, /spec\.hostNetwork: .*hostNetwork must be true if pod contains any hostProcess containers/);
  const torn = wrongIn({ ...context(true), hostNetwork: true, containers: [context(false)] }, checkHostProcesses);
  assert.match(torn.join('\n'), /pod hostProcess value must be identical if both are specified, was true/);
});

test('an unmasked /proc needs a user namespace', () => {
  const check = securityChecks['core.v1.SecurityContext']?.procMount as Check;
  const of = (procMount: string, more: JsonObject = {}) =>
    wrongIn({ containers: [{ securityContext: { procMount } }], ...more }, (spec) =>
      check(spec.field('containers').item(0).field('securityContext.procMount')),
    ).join('\n');
  assert.equal(of('Default'), '');
  assert.equal(of('Unmasked', { hostUsers: false }), '');
  assert.match(of('Unmasked'), /`hostUsers` must be false to use `Unmasked`/);
  assert.match(of('Other'), /supported values: "Default", "Unmasked"/);
});
