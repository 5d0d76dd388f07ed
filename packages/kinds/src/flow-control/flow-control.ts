import type { ByResource, Family } from '../family.ts';
import type { KindRules } from '../kind-entry.ts';
import { defaulter, NotZero, type SetDefaults } from '../rules/default-rules.ts';
import { columns } from './columns.ts';
import { flowControlChecks } from './validation.ts';

const defaults: ByResource<SetDefaults> = {
  'flowschemas.flowcontrol.apiserver.k8s.io': defaulter({ 'spec.matchingPrecedence': new NotZero(1000) }),
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': defaulter({
    'spec.limited.nominalConcurrencyShares': 30,
    'spec.limited.lendablePercent': 0,
    'spec.limited.limitResponse.queuing.queues': new NotZero(64),
    'spec.limited.limitResponse.queuing.handSize': new NotZero(8),
    'spec.limited.limitResponse.queuing.queueLengthLimit': new NotZero(50),
    'spec.exempt.nominalConcurrencyShares': 0,
    'spec.exempt.lendablePercent': 0,
  }),
};

const rules: ByResource<KindRules> = {
  'flowschemas.flowcontrol.apiserver.k8s.io': {
    generationPaths: ['spec'],
    resetFields: { status: [['metadata'], ['spec']] },
  },
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': {
    generationPaths: ['spec'],
    resetFields: { status: [['metadata'], ['spec']] },
  },
};

export const flowControl: Family = { rules, defaults, columns, types: flowControlChecks };
