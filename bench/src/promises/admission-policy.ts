import { ruleElsewhere } from './rule-elsewhere.ts';

const ADMISSION = '/apis/admissionregistration.k8s.io/v1';
const NAME = 'promise-policy';
const creations = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] };

export const admissionPolicy = ruleElsewhere('a binding of an admission policy', 'docs/operate/policies.md', {
  needs: [
    [
      `${ADMISSION}/validatingadmissionpolicies`,
      {
        metadata: { name: NAME },
        spec: {
          matchConstraints: { resourceRules: [creations] },
          validations: [{ expression: `object.metadata.name != '${NAME}'` }],
        },
      },
    ],
  ],
  collection: `${ADMISSION}/validatingadmissionpolicybindings`,
  object: { metadata: { name: NAME }, spec: { policyName: NAME, validationActions: ['Deny'] } },
  rejected: { collection: '/api/v1/namespaces/default/configmaps', object: { metadata: { name: NAME } } },
});
