import type { JsonObject } from '@tidegate/schema';
import type { ByResource, Family } from '../family.ts';
import type { Column, KindRules } from '../kind-entry.ts';
import { cellAt, countAt, selectorText, textAt } from '../rules/cells.ts';
import { ageColumn, column, integer, nameColumn } from '../rules/columns.ts';
import { below, type DefaultRules, defaulter, IfAbsent, type SetDefaults } from '../rules/default-rules.ts';
import { valueAt } from '../rules/fields.ts';
import { admissionChecks } from './policy-checks.ts';

const webhookColumns: readonly Column[] = [
  nameColumn,
  integer('Webhooks', 'Number of webhooks', (object) => countAt(object, 'webhooks')),
  ageColumn,
];

function paramRef(binding: JsonObject): string {
  const name = textAt(binding, 'spec.paramRef.name');
  if (name !== '') return `${textAt(binding, 'spec.paramRef.namespace', '*')}/${name}`;
  const selector = valueAt(binding, 'spec.paramRef.selector');
  return selector === undefined ? '<unset>' : selectorText(selector);
}

const webhookDefaults: DefaultRules = {
  failurePolicy: new IfAbsent('Fail'),
  matchPolicy: new IfAbsent('Equivalent'),
  namespaceSelector: {},
  objectSelector: {},
  timeoutSeconds: 10,
  'rules[].scope': new IfAbsent('*'),
  'clientConfig.service.port': 443,
};

const matchingDefaults: DefaultRules = {
  matchPolicy: new IfAbsent('Equivalent'),
  namespaceSelector: {},
  objectSelector: {},
  'resourceRules[].scope': new IfAbsent('*'),
  'excludeResourceRules[].scope': new IfAbsent('*'),
};

const columns: ByResource<readonly Column[]> = {
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': webhookColumns,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': webhookColumns,
  'validatingadmissionpolicies.admissionregistration.k8s.io': [
    nameColumn,
    integer('Validations', 'Number of validations', (policy) => countAt(policy, 'spec.validations')),
    column('ParamKind', 'Kind of the parameter objects', (policy) => {
      const kind = textAt(policy, 'spec.paramKind.kind');
      return kind === '' ? '<unset>' : `${textAt(policy, 'spec.paramKind.apiVersion')}/${kind}`;
    }),
    ageColumn,
  ],
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': [
    nameColumn,
    column('PolicyName', 'Name of the policy', cellAt('spec.policyName')),
    column('ParamRef', 'Parameter object', paramRef),
    ageColumn,
  ],
};

const defaults: ByResource<SetDefaults> = {
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': defaulter(
    below('webhooks[]', { ...webhookDefaults, reinvocationPolicy: new IfAbsent('Never') }),
  ),
  'validatingwebhookconfigurations.admissionregistration.k8s.io': defaulter(below('webhooks[]', webhookDefaults)),
  'validatingadmissionpolicies.admissionregistration.k8s.io': defaulter({
    'spec.failurePolicy': new IfAbsent('Fail'),
    ...below('spec.matchConstraints', matchingDefaults),
  }),
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': defaulter(
    below('spec.matchResources', matchingDefaults),
  ),
};

const rules: ByResource<KindRules> = {
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': {
    generationPaths: ['webhooks'],
    conditionalUpdate: true,
  },
  'validatingwebhookconfigurations.admissionregistration.k8s.io': {
    generationPaths: ['webhooks'],
    conditionalUpdate: true,
  },
  'validatingadmissionpolicies.admissionregistration.k8s.io': {
    generationPaths: ['spec'],
    conditionalUpdate: true,
    resetFields: { status: [['metadata'], ['spec']] },
  },
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': {
    generationPaths: ['spec'],
    conditionalUpdate: true,
  },
};

export const admission: Family = { rules, defaults, columns, types: admissionChecks };
