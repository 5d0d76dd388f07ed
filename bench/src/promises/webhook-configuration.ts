import { ruleElsewhere } from './rule-elsewhere.ts';

const NAME = 'promise-webhook';
const creations = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] };

/** Nothing listens at the webhook's address, so it rejects every request that it is configured for. */
export const webhookConfiguration = ruleElsewhere('a webhook configuration', 'docs/operate/webhooks.md', {
  collection: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
  object: {
    metadata: { name: NAME },
    webhooks: [
      {
        name: 'unreachable.promise.example',
        clientConfig: { url: 'https://127.0.0.1:1/' },
        rules: [creations],
        matchConditions: [{ name: 'own', expression: `object.metadata.name == '${NAME}'` }],
        failurePolicy: 'Fail',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  },
  rejected: { collection: '/api/v1/namespaces/default/configmaps', object: { metadata: { name: NAME } } },
});
