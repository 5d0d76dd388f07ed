import { canonicalQuantity, type JsonObject } from '@tidegate/schema';
import { amountOf } from '../rules/amount-checks.ts';
import type { Place } from '../rules/place.ts';
import { type AddWarning, keyOf, warnAt } from '../rules/warnings.ts';

const WHOLE = 1_000_000_000n;

/** Warns of memory amounts that are not whole bytes. */
export function warnOfFractions(amounts: Place, names: readonly string[], warn: AddWarning): void {
  for (const name of names) {
    const amount = amounts.object[name];
    if (amount === undefined || amountOf(amount) % WHOLE === 0n) continue;
    const text = canonicalQuantity(String(amount));
    const detail = `fractional byte value ${JSON.stringify(text)} is invalid, must be an integer`;
    warn(`${keyOf(amounts, name)}: ${detail}`);
  }
}

const BYTES = ['memory', 'ephemeral-storage'];
const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/';
const SECCOMP = 'container.seccomp.security.alpha.kubernetes.io/';

/** Warns of one container, and of the annotations of its pod that are about it. */
export function warnOfContainer(container: Place, pod: Place, warn: AddWarning): void {
  const annotations = pod.field('metadata.annotations');
  const name = container.field('name').text;
  if (!container.field('securityContext').has('seccompProfile') && annotations.has(SECCOMP + name)) {
    const detail = 'non-functional in v1.27+; use the "seccompProfile" field instead';
    warn(`${keyOf(annotations, SECCOMP + name)}: ${detail}`);
  }
  if (!container.field('securityContext').has('appArmorProfile') && annotations.has(APP_ARMOR + name)) {
    const annotation = String(annotations.object[APP_ARMOR + name]);
    const ofPod = pod.field('spec.securityContext.appArmorProfile');
    if (ofPod.value === undefined || !isSameProfile(annotation, ofPod.object)) {
      const detail = 'deprecated since v1.30; use the "appArmorProfile" field instead';
      warn(`${keyOf(annotations, APP_ARMOR + name)}: ${detail}`);
    }
  }
  const resources = container.field('resources');
  for (const name of BYTES) {
    for (const part of ['limits', 'requests']) warnOfFractions(resources.field(part), [name], warn);
  }
  warnOfHidden(container.field('env'), warn);
}

function isSameProfile(annotation: string, { type, localhostProfile }: JsonObject): boolean {
  if (annotation === 'unconfined') return type === 'Unconfined';
  if (annotation === 'runtime/default') return type === 'RuntimeDefault';
  return type === 'Localhost' && annotation === `localhost/${String(localhostProfile)}`;
}

/** Warns of a variable that is set twice, unless the second value uses the first. */
function warnOfHidden(env: Place, warn: AddWarning): void {
  const seen = new Set<string>();
  for (const one of env.items()) {
    const name = one.field('name').text;
    const reference = `$(${name})`;
    const value = one.field('value').text;
    const isHidden = one.has('valueFrom') || value === reference || !value.includes(reference);
    if (seen.has(name) && isHidden) {
      const detail = 'which may be dropped when using apply';
      warnAt(one, warn, `hides previous definition of ${JSON.stringify(name)}, ${detail}`);
    }
    seen.add(name);
  }
}

/** Warns of ports that two containers of a pod use, or one container twice. */
export function warnOfPorts(containers: readonly Place[], warn: AddWarning): void {
  const taken = new Map<string, SamePorts>();
  const names = new Map<string, Place>();
  const later: Array<() => void> = [];
  let acceptsMore = true;
  for (const port of containers.flatMap((container) => container.field('ports').items())) {
    const { hostIP = '', hostPort = 0, containerPort = 0, protocol = '', name = '' } = port.object;
    if (hostIP !== '' && hostPort === 0) {
      const shown = `{Name:${name} HostPort:0 ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
      warnAt(port, warn, `hostIP set without hostPort: ${shown}`);
    }
    const key = `${containerPort}/${protocol}`;
    const others = taken.get(key) ?? new SamePorts();
    taken.set(key, others);
    if (acceptsMore) {
      others.eachConflict(port, (other) => {
        acceptsMore = warnOfPair(port, other, warn);
        return acceptsMore;
      });
    }
    others.add(port);
    const first = names.get(String(name));
    if (name !== '' && first !== undefined) {
      const use = `services and probes that select ports by name will use ${first.path}`;
      later.push(() => warnAt(port, warn, `duplicate port name ${JSON.stringify(name)} with ${first.path}, ${use}`));
    } else names.set(String(name), port);
  }
  for (const addWarning of later) addWarning();
}

/**
 * Ports with the same number and protocol, by their host port: only some of them conflict.
 *
 * Invariant: each list is in the order in which ports were added.
 */
class SamePorts {
  readonly #ports: Place[] = [];
  /** the ports without a host port */
  readonly #withoutHostPort: number[] = [];
  readonly #byHostPort = new Map<unknown, number[]>();
  readonly #byHost = new Map<string, number[]>();

  add(port: Place): void {
    const { hostIP = '', hostPort = 0 } = port.object;
    const place = this.#ports.push(port) - 1;
    if (hostPort === 0) this.#withoutHostPort.push(place);
    else {
      addTo(this.#byHostPort, hostPort, place);
      addTo(this.#byHost, `${hostPort}/${hostIP}`, place);
    }
  }

  /** Calls the listener for each earlier port that conflicts, until it returns false. */
  eachConflict(port: Place, listener: (other: Place) => boolean): void {
    const { hostIP = '', hostPort = 0 } = port.object;
    if (hostPort === 0) {
      for (const other of this.#ports) if (!listener(other)) return;
      return;
    }
    const same = this.#byHost.get(`${hostPort}/${hostIP}`) ?? [];
    const all =
      hostIP === '' ? (this.#byHostPort.get(hostPort) ?? []) : [...same, ...(this.#byHost.get(`${hostPort}/`) ?? [])];
    for (const place of [...this.#withoutHostPort, ...all].sort((a, b) => a - b)) {
      if (!listener(this.#ports[place] as Place)) return;
    }
  }
}

function addTo<Key>(map: Map<Key, number[]>, key: Key, place: number): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [place]);
  else list.push(place);
}

/** Returns false when no more warnings are accepted. */
function warnOfPair(port: Place, other: Place, warn: AddWarning): boolean {
  const { hostIP = '', hostPort = 0 } = port.object;
  const { hostIP: otherIp = '', hostPort: otherPort = 0 } = other.object;
  if (hostIP === otherIp && hostPort === otherPort) {
    return warnAt(port, warn, `duplicate port definition with ${other.path}`);
  }
  if (hostPort === 0 || otherPort === 0) {
    return warnAt(port, warn, `overlapping port definition with ${other.path}`);
  }
  if (hostPort === otherPort && (hostIP === '') !== (otherIp === '')) {
    return warnAt(port, warn, `dangerously ambiguous port definition with ${other.path}`);
  }
  return true;
}
