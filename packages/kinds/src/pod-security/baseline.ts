import { type Json, type JsonObject, listOf } from '@tidegate/schema';
import { partOf } from '../rules/fields.ts';
import {
  type Check,
  containersOf,
  counted,
  distinct,
  type Finding,
  hasOwnUsers,
  isKnownSeccomp,
  namesOf,
  plural,
  quoted,
  type Subject,
  seccompOf,
  seccompSetters,
  securityOf,
  setters,
} from './check.ts';

const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/';

function appArmor({ annotations, spec }: Subject): Finding | undefined {
  const typeOf = (object: JsonObject) => partOf(securityOf(object), 'appArmorProfile').type;
  const isBad = (object: JsonObject) => !['RuntimeDefault', 'Localhost', undefined].includes(typeOf(object) as string);
  const containers = containersOf(spec).filter(isBad);
  const values = distinct([spec, ...containers].filter(isBad).map((object) => typeOf(object) as Json));
  const badAnnotations = Object.entries(annotations)
    .filter(([key, value]) => key.startsWith(APP_ARMOR) && !/^(?:$|runtime\/default$|localhost\/)/.test(value))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .sort();
  const parts = [
    setters(isBad(spec), containers),
    badAnnotations.length === 0 ? '' : plural('annotation', badAnnotations.length),
  ];
  const all = [...values, ...badAnnotations];
  if (all.length === 0) return undefined;
  return {
    reason: plural('forbidden AppArmor profile', all.length),
    detail: `${parts.filter(Boolean).join(' and ')} must not set AppArmor profile type to ${quoted(all)}`,
  };
}

const CAPABILITIES = new Set(
  'AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT'.split(
    ' ',
  ),
);

function capabilities({ spec }: Subject): Finding | undefined {
  const badOf = (container: JsonObject) => {
    const { add } = partOf(securityOf(container), 'capabilities');
    return (Array.isArray(add) ? add : []).filter((one) => !CAPABILITIES.has(String(one)));
  };
  const containers = containersOf(spec).filter((one) => badOf(one).length > 0);
  if (containers.length === 0) return undefined;
  const parts = counted('container', namesOf(containers));
  const what = quoted(distinct(containers.flatMap(badOf)));
  return {
    reason: 'non-default capabilities',
    detail: `${parts} must not include ${what} in securityContext.capabilities.add`,
  };
}

function hostNamespaces({ spec }: Subject): Finding | undefined {
  const set = ['hostNetwork', 'hostPID', 'hostIPC'].filter((name) => spec[name] === true);
  if (set.length === 0) return undefined;
  return { reason: 'host namespaces', detail: set.map((name) => `${name}=true`).join(', ') };
}

function hostPathVolumes({ spec }: Subject): Finding | undefined {
  const volumes = listOf(spec, 'volumes').filter(({ hostPath }) => hostPath !== undefined);
  if (volumes.length === 0) return undefined;
  return { reason: 'hostPath volumes', detail: counted('volume', namesOf(volumes)) };
}

function hostPorts({ spec }: Subject): Finding | undefined {
  const portsOf = (one: JsonObject) => listOf(one, 'ports').flatMap(({ hostPort }) => (hostPort ? [hostPort] : []));
  const containers = containersOf(spec).filter((one) => portsOf(one).length > 0);
  if (containers.length === 0) return undefined;
  const ports = distinct(containers.flatMap(portsOf));
  const use = containers.length === 1 ? 'uses' : 'use';
  const parts = counted('container', namesOf(containers));
  return { reason: 'hostPort', detail: `${parts} ${use} ${plural('hostPort', ports.length)} ${ports.join(', ')}` };
}

const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'];

function probeHosts({ spec }: Subject): Finding | undefined {
  const hostsOf = (container: JsonObject) => {
    const lifecycle = partOf(container, 'lifecycle');
    const handlers = [
      ...PROBES.map((name) => partOf(container, name)),
      ...['postStart', 'preStop'].map((name) => partOf(lifecycle, name)),
    ];
    return handlers.flatMap((handler) =>
      ['httpGet', 'tcpSocket'].flatMap((name) => partOf(handler, name).host || []),
    ) as Json[];
  };
  const containers = containersOf(spec).filter((one) => hostsOf(one).length > 0);
  if (containers.length === 0) return undefined;
  const hosts = distinct(containers.flatMap(hostsOf));
  const use = containers.length === 1 ? 'uses' : 'use';
  const parts = counted('container', namesOf(containers).sort());
  const what = plural('probe or lifecycle host', hosts.length);
  return { reason: 'probe or lifecycle host', detail: `${parts} ${use} ${what} ${quoted(hosts)}` };
}

function privileged({ spec }: Subject): Finding | undefined {
  const containers = containersOf(spec).filter((one) => securityOf(one).privileged === true);
  if (containers.length === 0) return undefined;
  const parts = counted('container', namesOf(containers));
  return { reason: 'privileged', detail: `${parts} must not set securityContext.privileged=true` };
}

export function procMount({ spec }: Subject): Finding | undefined {
  const containers = containersOf(spec).filter((one) => (securityOf(one).procMount ?? 'Default') !== 'Default');
  if (containers.length === 0) return undefined;
  const values = quoted(distinct(containers.map((one) => securityOf(one).procMount as Json)));
  const parts = counted('container', namesOf(containers));
  return { reason: 'procMount', detail: `${parts} must not set securityContext.procMount to ${values}` };
}

const SE_LINUX_TYPES = ['', 'container_t', 'container_init_t', 'container_kvm_t'];

function seLinux(types: readonly string[]): Check['evaluate'] {
  const optionsOf = (object: JsonObject) => partOf(securityOf(object), 'seLinuxOptions');
  const typeOf = (object: JsonObject) => String(optionsOf(object).type ?? '');
  const isBad = (object: JsonObject) => {
    const { user, role } = optionsOf(object);
    return !types.includes(typeOf(object)) || Boolean(user) || Boolean(role);
  };
  return ({ spec }) => {
    const containers = containersOf(spec).filter(isBad);
    const bad = [spec, ...containers].filter(isBad);
    if (bad.length === 0) return undefined;
    const badTypes = distinct(bad.map(typeOf).filter((type) => !types.includes(type)));
    const what = [
      ...(badTypes.length === 0 ? [] : [counted('type', badTypes)]),
      ...['user', 'role']
        .filter((name) => bad.some((one) => optionsOf(one)[name]))
        .map((name) => `${name} may not be set`),
    ].join('; ');
    const parts = setters(isBad(spec), containers);
    return { reason: 'seLinuxOptions', detail: `${parts} set forbidden securityContext.seLinuxOptions: ${what}` };
  };
}

const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod';
const SECCOMP_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/';

function seccompAnnotations({ annotations, spec }: Subject): Finding | undefined {
  const keys = [SECCOMP_POD, ...namesOf(containersOf(spec)).map((name) => SECCOMP_CONTAINER + name)];
  const bad = keys.filter((key) => {
    const value = annotations[key];
    return value !== undefined && !/^(?:(?:runtime|docker)\/default$|localhost\/)/.test(value);
  });
  if (bad.length === 0) return undefined;
  const badAnnotations = distinct(bad.map((key) => `${key}=${JSON.stringify(annotations[key])}`));
  return {
    reason: 'seccompProfile',
    detail: `forbidden ${plural('annotation', badAnnotations.length)} ${badAnnotations.join(', ')}`,
  };
}

function seccomp({ spec }: Subject): Finding | undefined {
  const isBad = (object: JsonObject) => seccompOf(object) !== undefined && !isKnownSeccomp(object);
  return seccompSetters(spec, isBad);
}

const SYSCTLS = [
  'kernel.shm_rmid_forced',
  ...['ip_local_port_range', 'tcp_syncookies', 'ping_group_range', 'ip_unprivileged_port_start'].map(
    (n) => `net.ipv4.${n}`,
  ),
];
const SYSCTLS_27 = [...SYSCTLS, 'net.ipv4.ip_local_reserved_ports'];
const SYSCTLS_29 = [
  ...SYSCTLS_27,
  ...['keepalive_time', 'fin_timeout', 'keepalive_intvl', 'keepalive_probes'].map((name) => `net.ipv4.tcp_${name}`),
];
const SYSCTLS_32 = [...SYSCTLS_29, 'net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem'];

function sysctls(allowed: readonly string[]): Check['evaluate'] {
  return ({ spec }) => {
    const names = namesOf(listOf(securityOf(spec), 'sysctls'));
    const bad = names.filter((name) => !allowed.includes(name));
    return bad.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: bad.join(', ') };
  };
}

function hostProcess({ spec }: Subject): Finding | undefined {
  const isBad = (object: JsonObject) => partOf(securityOf(object), 'windowsOptions').hostProcess === true;
  const parts = setters(isBad(spec), containersOf(spec).filter(isBad));
  if (parts === '') return undefined;
  return { reason: 'hostProcess', detail: `${parts} must not set securityContext.windowsOptions.hostProcess=true` };
}

/** All checks of the baseline level, in the order of their findings. */
export const baseline: readonly Check[] = [
  { since: 0, evaluate: appArmor },
  { since: 0, evaluate: capabilities, replacedSince: 22 },
  { since: 0, evaluate: hostNamespaces },
  { since: 0, evaluate: hostPathVolumes, replacedSince: 0 },
  { since: 0, evaluate: hostPorts },
  { since: 34, evaluate: probeHosts },
  { since: 0, evaluate: privileged },
  { since: 0, until: 35, evaluate: procMount },
  { since: 35, evaluate: (pod) => (hasOwnUsers(pod.spec) ? undefined : procMount(pod)), replacedSince: 35 },
  { since: 0, until: 31, evaluate: seLinux(SE_LINUX_TYPES) },
  { since: 31, evaluate: seLinux([...SE_LINUX_TYPES, 'container_engine_t']) },
  { since: 0, until: 19, evaluate: seccompAnnotations },
  { since: 19, evaluate: seccomp, replacedSince: 19 },
  { since: 0, until: 27, evaluate: sysctls(SYSCTLS) },
  { since: 27, until: 29, evaluate: sysctls(SYSCTLS_27) },
  { since: 29, until: 32, evaluate: sysctls(SYSCTLS_29) },
  { since: 32, evaluate: sysctls(SYSCTLS_32) },
  { since: 0, evaluate: hostProcess },
];
