import { type JsonObject, printTime } from '@tidegate/schema';
import type { ByResource, Family } from '../family.ts';
import type { Column, KindRules } from '../kind-entry.ts';
import { label1035Problems, subdomainProblems } from '../objects/names.ts';
import { listAt, textAt } from '../rules/cells.ts';
import { always, includingEmpty, required, within } from '../rules/checks.ts';
import { ageColumn, column, nameColumn } from '../rules/columns.ts';
import { defaulter, type SetDefaults } from '../rules/default-rules.ts';
import { valueAt } from '../rules/fields.ts';
import type { Check, RuleTable } from '../rules/type-rules.ts';

function serviceOf(apiService: JsonObject): string {
  const name = textAt(apiService, 'spec.service.name');
  return name === '' ? 'Local' : `${textAt(apiService, 'spec.service.namespace')}/${name}`;
}

function availability(apiService: JsonObject): string {
  const found = listAt(apiService, 'status.conditions').find(({ type }) => type === 'Available');
  if (found === undefined) return 'Unknown';
  return found.status === 'True' ? 'True' : `${String(found.status)} (${String(found.reason)})`;
}

/** The name of the resource of APIServices in the store. */
export const API_SERVICES = 'apiservices.apiregistration.k8s.io';

/** The server always serves this group itself: otherwise an APIService for it could never be removed. */
export const REGISTRATION_GROUP = 'apiregistration.k8s.io';

/** The position of a group version among all: higher priorities come first. */
export interface ApiPriority {
  readonly group: number;
  readonly version: number;
}

const GROUPS: Readonly<Record<string, number>> = {
  '': 18_000,
  apps: 17_800,
  'events.k8s.io': 17_750,
  'authentication.k8s.io': 17_700,
  'authorization.k8s.io': 17_600,
  autoscaling: 17_500,
  batch: 17_400,
  'certificates.k8s.io': 17_300,
  'networking.k8s.io': 17_200,
  policy: 17_100,
  'rbac.authorization.k8s.io': 17_000,
  'storage.k8s.io': 16_800,
  'admissionregistration.k8s.io': 16_700,
  'apiextensions.k8s.io': 16_700,
  'scheduling.k8s.io': 16_600,
  'coordination.k8s.io': 16_500,
  'node.k8s.io': 16_300,
  'discovery.k8s.io': 16_200,
  'resource.k8s.io': 16_200,
  'flowcontrol.apiserver.k8s.io': 16_100,
};

/** Priorities that differ from the usual one. */
const VERSIONS: Readonly<Record<string, number>> = {
  '/v1': 1,
  'autoscaling/v2': 30,
  'flowcontrol.apiserver.k8s.io/v1': 21,
  'resource.k8s.io/v1': 21,
};
const USUAL_VERSION = 15;
const CUSTOM: ApiPriority = { group: 1000, version: 100 };

/** The priority of a group version that this server serves: built-in groups come before custom ones. */
export function localPriority(group: string, version: string): ApiPriority {
  const own = Object.hasOwn(GROUPS, group) ? GROUPS[group] : undefined;
  if (own === undefined) return CUSTOM;
  return { group: own, version: VERSIONS[`${group}/${version}`] ?? USUAL_VERSION };
}

/** The condition of a group version that this server serves: it is always available. */
export function locallyAvailable(): JsonObject {
  return {
    type: 'Available',
    status: 'True',
    lastTransitionTime: printTime(),
    reason: 'Local',
    message: 'Local APIServices are always available',
  };
}

function priority(most: number): Check {
  return always((place) => {
    const value = Number(place.value ?? 0);
    if (value <= 0 || value > most) place.invalid(`must be positive and less than ${most}`, value);
  });
}

const apiService: Check = (object) => {
  const spec = object.field('spec');
  const wanted = `${spec.field('version').text}.${spec.field('group').text}`;
  const name = object.field('metadata.name');
  const [group, version] = [spec.field('group'), spec.field('version')];
  if (group.text === '' && version.text !== 'v1') {
    group.required('only v1 may have an empty group and it better be legacy kube');
  }
  const unsafe = spec.field('insecureSkipTLSVerify');
  if (unsafe.value === true && spec.object.service === undefined) {
    unsafe.invalid('local APIServices may not have insecureSkipTLSVerify');
  }
  if (unsafe.value === true && !spec.field('caBundle').isEmpty)
    unsafe.invalid('may not be true if caBundle is present');
  const bundle = spec.field('caBundle');
  if (!bundle.isEmpty && spec.object.service === undefined) {
    bundle.invalid('local APIServices may not have a caBundle', `${Buffer.from(bundle.text, 'base64').length} bytes`);
  }
  if (name.text !== wanted) name.invalid(`must be \`spec.version+"."+spec.group\`: ${JSON.stringify(wanted)}`);
};

const columns: ByResource<readonly Column[]> = {
  'apiservices.apiregistration.k8s.io': [
    nameColumn,
    column('Service', 'Service of the group version', serviceOf),
    column('Available', 'Whether the service is available', availability),
    ageColumn,
  ],
};

const defaults: ByResource<SetDefaults> = {
  'apiservices.apiregistration.k8s.io': defaulter({ 'spec.service.port': 443 }),
};

const rules: ByResource<KindRules> = {
  'apiservices.apiregistration.k8s.io': {
    name: 'path-segment',
    conditionalUpdate: true,
    prepareCreate: (apiService) => {
      if (valueAt(apiService, 'spec.service') === undefined) apiService.status = { conditions: [locallyAvailable()] };
    },
  },
};

const apiServiceChecks: RuleTable = {
  'apiregistration.v1.APIServiceSpec': {
    groupPriorityMinimum: priority(20000),
    versionPriority: priority(1000),
    version: includingEmpty(label1035Problems),
    group: (place) => {
      if (place.text !== '') place.invalidFor(subdomainProblems(place.text));
    },
  },
  'apiregistration.v1.ServiceReference': {
    namespace: required(),
    name: required(),
    port: within(1, 65535, 'port is not valid: must be between 1 and 65535, inclusive'),
  },
  'apiregistration.v1.APIService': { '': apiService },
};

export const apiServices: Family = { rules, defaults, columns, types: apiServiceChecks };
