import { ruleElsewhere } from './rule-elsewhere.ts';

const NAMESPACE = '/api/v1/namespaces/promise-limits';

/** Stands for all objects that admission plugins look up. */
export const limitRange = ruleElsewhere('a limit range', 'docs/operate/admission-plugins.md', {
  needs: [['/api/v1/namespaces', { metadata: { name: 'promise-limits' } }]],
  collection: `${NAMESPACE}/limitranges`,
  object: {
    metadata: { name: 'least' },
    spec: { limits: [{ type: 'PersistentVolumeClaim', min: { storage: '2Gi' } }] },
  },
  rejected: {
    collection: `${NAMESPACE}/persistentvolumeclaims`,
    object: {
      metadata: { name: 'small' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
  },
});
