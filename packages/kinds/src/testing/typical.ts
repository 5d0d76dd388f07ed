import type { JsonObject } from '@tidegate/schema';

const probe = (path: string) => ({ httpGet: { path, port: 'http' }, initialDelaySeconds: 5 });
/** A typical Deployment. */
export const typicalDeployment: JsonObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name: 'web',
    namespace: 'shop',
    labels: { 'app.kubernetes.io/name': 'web', 'app.kubernetes.io/part-of': 'shop' },
    annotations: { 'example.com/team': 'front' },
  },
  spec: {
    replicas: 3,
    selector: { matchLabels: { 'app.kubernetes.io/name': 'web' } },
    template: {
      metadata: { labels: { 'app.kubernetes.io/name': 'web', version: 'v3' } },
      spec: {
        serviceAccountName: 'web',
        securityContext: { runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 },
        containers: [
          {
            name: 'web',
            image: 'registry.example.com/web:1.27',
            ports: [
              { name: 'http', containerPort: 8080 },
              { name: 'metrics', containerPort: 9090 },
            ],
            env: [
              { name: 'MODE', value: 'production' },
              { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
              { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'web', key: 'token' } } },
            ],
            resources: { requests: { cpu: '250m', memory: '256Mi' }, limits: { cpu: '1', memory: '512Mi' } },
            livenessProbe: probe('/livez'),
            readinessProbe: probe('/readyz'),
            volumeMounts: [
              { name: 'config', mountPath: '/etc/web' },
              { name: 'scratch', mountPath: '/tmp' },
            ],
            securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
          },
        ],
        volumes: [
          { name: 'config', configMap: { name: 'web' } },
          { name: 'scratch', emptyDir: {} },
        ],
        affinity: {
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 100, podAffinityTerm: { topologyKey: 'kubernetes.io/hostname' } },
            ],
          },
        },
      },
    },
  },
};
