import { canonicalQuantity, type JsonObject } from '@tidegate/schema';
import { amountOf } from '../validation/amounts.ts';
import type { Place } from '../validation/place.ts';
import { keyOf, type Tell, tellOf } from './warn.ts';

const WHOLE = 1_000_000_000n;

/** Bytes that are no whole number. */
export function warnOfFractions(amounts: Place, names: readonly string[], tell: Tell): void {
  for (const name of names) {
    const amount = amounts.object[name];
    if (amount === undefined || amountOf(amount) % WHOLE === 0n) continue;
    const text = canonicalQuantity(String(amount));
    const words = `fractional byte value ${JSON.stringify(text)} is invalid, must be an integer`;
    tell(`${keyOf(amounts, name)}: ${words}`);
  }
}

const BYTES = ['memory', 'ephemeral-storage'];
const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/';
const SECCOMP = 'container.seccomp.security.alpha.kubernetes.io/';

/** Of one container, with what the annotations of its pod say of it. */
export function warnOfContainer(container: Place, pod: Place, tell: Tell): void {
  const annotations = pod.field('metadata.annotations');
  const name = container.field('name').text;
  if (!container.field('securityContext').has('seccompProfile') && annotations.has(SECCOMP + name)) {
    const words = 'non-functional in v1.27+; use the "seccompProfile" field instead';
    tell(`${keyOf(annotations, SECCOMP + name)}: ${words}`);
  }
  if (!container.field('securityContext').has('appArmorProfile') && annotations.has(APP_ARMOR + name)) {
    const said = String(annotations.object[APP_ARMOR + name]);
    const ofPod = pod.field('spec.securityContext.appArmorProfile');
    if (ofPod.value === undefined || !saysTheSame(said, ofPod.object)) {
      const words = 'deprecated since v1.30; use the "appArmorProfile" field instead';
      tell(`${keyOf(annotations, APP_ARMOR + name)}: ${words}`);
    }
  }
  const resources = container.field('resources');
  for (const name of BYTES) {
    for (const part of ['limits', 'requests']) warnOfFractions(resources.field(part), [name], tell);
  }
  warnOfHidden(container.field('env'), tell);
}

function saysTheSame(annotation: string, { type, localhostProfile }: JsonObject): boolean {
  if (annotation === 'unconfined') return type === 'Unconfined';
  if (annotation === 'runtime/default') return type === 'RuntimeDefault';
  return type === 'Localhost' && annotation === `localhost/${String(localhostProfile)}`;
}

/** A variable that is set twice, where the second value is not made from the first. */
function warnOfHidden(env: Place, tell: Tell): void {
  const seen = new Set<string>();
  for (const one of env.items()) {
    const name = one.field('name').text;
    const reference = `$(${name})`;
    const value = one.field('value').text;
    const isHidden = one.has('valueFrom') || value === reference || !value.includes(reference);
    if (seen.has(name) && isHidden) {
      const words = 'which may be dropped when using apply';
      tellOf(one, tell, `hides previous definition of ${JSON.stringify(name)}, ${words}`);
    }
    seen.add(name);
  }
}

/** Ports that two containers of a pod want, or one of them twice. */
export function warnOfPorts(containers: readonly Place[], tell: Tell): void {
  const taken = new Map<string, Place[]>();
  const names = new Map<string, Place>();
  const later: Array<() => void> = [];
  for (const port of containers.flatMap((container) => container.field('ports').items())) {
    const { hostIP = '', hostPort = 0, containerPort = 0, protocol = '', name = '' } = port.object;
    if (hostIP !== '' && hostPort === 0) {
      const shown = `{Name:${name} HostPort:0 ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
      tellOf(port, tell, `hostIP set without hostPort: ${shown}`);
    }
    const key = `${containerPort}/${protocol}`;
    const others = taken.get(key) ?? [];
    for (const other of others) warnOfPair(port, other, tell);
    taken.set(key, [...others, port]);
    const first = names.get(String(name));
    if (name !== '' && first !== undefined) {
      const use = `services and probes that select ports by name will use ${first.path}`;
      later.push(() => tellOf(port, tell, `duplicate port name ${JSON.stringify(name)} with ${first.path}, ${use}`));
    } else names.set(String(name), port);
  }
  for (const say of later) say();
}

function warnOfPair(port: Place, other: Place, tell: Tell): void {
  const { hostIP = '', hostPort = 0 } = port.object;
  const { hostIP: otherIp = '', hostPort: otherPort = 0 } = other.object;
  if (hostIP === otherIp && hostPort === otherPort) {
    tellOf(port, tell, `duplicate port definition with ${other.path}`);
  } else if (hostPort === 0 || otherPort === 0) {
    tellOf(port, tell, `overlapping port definition with ${other.path}`);
  } else if (hostPort === otherPort && (hostIP === '') !== (otherIp === '')) {
    tellOf(port, tell, `dangerously ambiguous port definition with ${other.path}`);
  }
}
