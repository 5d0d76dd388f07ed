import { subdomainProblems } from '../objects/names.ts';
import { named, required, requiredOneOf, userOrGroup } from '../rules/checks.ts';
import type { Place } from '../rules/place.ts';
import type { Check, RuleTable, TypeRules } from '../rules/type-rules.ts';

const contexts: Check = (place) => {
  const { privileged, allowPrivilegeEscalation, capabilities } = place.object as {
    privileged?: boolean;
    allowPrivilegeEscalation?: boolean;
    capabilities?: { add?: string[] };
  };
  if (allowPrivilegeEscalation !== false) return;
  if (privileged === true) place.invalid('cannot set `allowPrivilegeEscalation` to false and `privileged` to true');
  if (capabilities?.add?.some((name) => name === 'CAP_SYS_ADMIN')) {
    place.invalid('cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN');
  }
};

const PROFILES = ['Localhost', 'RuntimeDefault', 'Unconfined'];

/** localhostProfile is only allowed for the type Localhost. */
function profile(profileKind: string, field: string, nameProblems: (name: string) => string[]): TypeRules {
  const named: Check = (place) => {
    const name = place.field('localhostProfile');
    const type = place.field('type').text;
    if (type !== 'Localhost') {
      // the error text of seccomp shows the whole profile
      const shown = profileKind === 'seccomp' ? place.value : name.value;
      const known = profileKind === 'seccomp' || PROFILES.includes(type);
      if (name.value !== undefined && known)
        name.invalid(`can only be set when ${profileKind} type is Localhost`, shown);
    } else if (name.isEmpty && name.value === undefined)
      name.required(`must be set when ${profileKind} type is Localhost`);
    else name.invalidFor(nameProblems(name.text));
  };
  return { type: [required(`type is required when ${field} is set`), requiredOneOf(...PROFILES)], '': named };
}

function seccompProblems(path: string): string[] {
  const problems = path.startsWith('/') ? ['must be a relative path'] : [];
  return path.split('/').includes('..') ? [...problems, "must not contain '..'"] : problems;
}

function appArmorProblems(name: string): string[] {
  if (name.trim() !== name) return ['must not be padded with whitespace'];
  return name === '' ? ['must be set when AppArmor type is Localhost'] : [];
}

const MAX_CREDENTIALS = 64 * 1024;
const credentials: Check = (place) => {
  if (place.text === '') place.invalid('gmsaCredentialSpec cannot be an empty string', '');
  else if (Buffer.byteLength(place.text) > MAX_CREDENTIALS) {
    place.invalid(`gmsaCredentialSpec size must be under ${MAX_CREDENTIALS / 1024} KiB`);
  }
};

const CONTROL = /\p{Cc}/u;
const NETBIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const DOMAIN = /^[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?(\.[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?)*$/;

/** Checks a Windows user name: `DOMAIN\user` or `user`. */
const windowsUser: Check = (place) => {
  const { text } = place;
  if (text === '') return place.invalid('runAsUserName cannot be an empty string', '');
  if (CONTROL.test(text)) return place.invalid('runAsUserName cannot contain control characters');
  const parts = text.split('\\');
  if (parts.length > 2) return place.invalid('runAsUserName cannot contain more than one backslash');
  const user = parts.at(-1) ?? '';
  if (parts.length === 2) windowsDomain(place, parts[0] ?? '');
  if (user === '') place.invalid("runAsUserName's User cannot be empty");
  else if (user.length > 104) place.invalid("runAsUserName's User length must not be longer than 104 characters");
  if (/^[. ]+$/.test(user)) place.invalid("runAsUserName's User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) {
    place.invalid('runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]');
  }
};

function windowsDomain(place: Place, domain: string): void {
  if (domain.length >= 256) place.invalid("runAsUserName's Domain length must be under 256 characters");
  if (!NETBIOS.test(domain) && !DOMAIN.test(domain)) {
    place.invalid("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  }
}

const SYSCTL_FORM = '^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$';
const SYSCTL = /^[a-z0-9]([-_a-z0-9]*[a-z0-9])?([./][a-z0-9]([-_a-z0-9]*[a-z0-9])?)*$/;
const sysctlName: Check = (place) => {
  if (place.text.length > 253 || !SYSCTL.test(place.text)) {
    place.invalid(`must have at most 253 characters and match regex ${SYSCTL_FORM}`);
  }
};

const sysctls: Check = (list) => {
  const context = list.up(1);
  const spec = context.up(1);
  const seen = new Set<string>();
  for (const one of list.items()) {
    const name = one.field('name');
    const plain = name.text.replaceAll('/', '.');
    if (seen.has(plain)) name.duplicate();
    seen.add(plain);
    if (spec.object.hostNetwork === true && plain.startsWith('net.')) {
      name.invalid("may not be specified when 'hostNetwork' is true");
    }
    if (spec.object.hostIPC === true && isOfIpc(plain)) name.invalid("may not be specified when 'hostIPC' is true");
  }
};

function isOfIpc(name: string): boolean {
  return (
    name.startsWith('fs.mqueue.') || ['kernel.sem', 'kernel.msg', 'kernel.shm'].some((one) => name.startsWith(one))
  );
}

const user: TypeRules = { runAsUser: userOrGroup, runAsGroup: userOrGroup };

const procMount: Check = (place) => {
  if (!['Default', 'Unmasked'].includes(place.text)) place.unsupported(['Default', 'Unmasked'], place.text);
  if (place.text !== 'Unmasked' || place.up(4).object.hostUsers === false) return;
  place.invalid('`hostUsers` must be false to use `Unmasked`');
};

export const securityChecks: RuleTable = {
  'core.v1.SecurityContext': { ...user, procMount, '': contexts },
  'core.v1.PodSecurityContext': {
    ...user,
    fsGroup: userOrGroup,
    'supplementalGroups[]': userOrGroup,
    supplementalGroupsPolicy: requiredOneOf('Merge', 'Strict'),
    fsGroupChangePolicy: requiredOneOf('Always', 'OnRootMismatch'),
    seLinuxChangePolicy: requiredOneOf('Recursive'),
    sysctls,
  },
  'core.v1.Sysctl': { name: [required(), sysctlName] },
  'core.v1.SeccompProfile': profile('seccomp', 'seccompProfile', seccompProblems),
  'core.v1.AppArmorProfile': profile('AppArmor', 'appArmorProfile', appArmorProblems),
  'core.v1.WindowsSecurityContextOptions': {
    gmsaCredentialSpecName: named(subdomainProblems),
    gmsaCredentialSpec: credentials,
    runAsUserName: windowsUser,
  },
};

const ONLY_LINUX = ['hostPID', 'hostIPC', 'hostUsers', 'shareProcessNamespace'];
const LINUX_POD = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'fsGroup',
  'fsGroupChangePolicy',
  'sysctls',
  'runAsUser',
  'runAsGroup',
  'supplementalGroups',
  'supplementalGroupsPolicy',
];
const LINUX_CONTAINER = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
];

/** Checks that a pod has no fields that its operating system does not support. */
export function checkOperatingSystem(spec: Place, containers: readonly Place[]): void {
  const system = spec.field('os.name').text;
  const all = [spec, ...containers].map((holder) => holder.field('securityContext'));
  if (system === 'linux') {
    for (const context of all) {
      if (context.has('windowsOptions')) {
        context.field('windowsOptions').forbidden('windows options cannot be set for a linux pod');
      }
    }
  } else if (system === 'windows') forbidLinuxFields(spec, all);
}

function forbidLinuxFields(spec: Place, [ofPod, ...ofContainers]: readonly Place[]): void {
  const reject = (place: Place, names: readonly string[]): void => {
    for (const name of names) {
      if (place.has(name)) place.field(name).forbidden('cannot be set for a windows pod');
    }
  };
  reject(
    spec,
    ONLY_LINUX.filter((name) => name !== 'shareProcessNamespace' && spec.object[name] === true),
  );
  if (spec.object.hostUsers === false) reject(spec, ['hostUsers']);
  reject(spec, ['shareProcessNamespace']);
  if (ofPod !== undefined) reject(ofPod, LINUX_POD);
  for (const context of ofContainers) reject(context, LINUX_CONTAINER);
}

/** HostProcess containers: all containers of a pod or none, with the network of the host. */
export function checkHostProcesses(spec: Place, containers: readonly Place[]): void {
  const own = spec.field('securityContext.windowsOptions.hostProcess').value;
  let some = 0;
  for (const container of containers) {
    const option = container.field('securityContext.windowsOptions.hostProcess');
    if (own !== undefined && option.value !== undefined && own !== option.value) {
      option.invalid(`pod hostProcess value must be identical if both are specified, was ${own}`);
    }
    if ((option.value ?? own) === true) some++;
  }
  if (some === 0) return;
  if (some !== containers.length) {
    spec.invalid('If pod contains any hostProcess containers then all containers must be HostProcess containers', '');
  }
  if (spec.object.hostNetwork !== true) {
    spec.field('hostNetwork').invalid('hostNetwork must be true if pod contains any hostProcess containers', false);
  }
}
