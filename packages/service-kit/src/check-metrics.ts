import type { Checks, Endpoint } from './checks.ts';
import type { MetricRegistry } from './metric-registry.ts';

const ENDPOINTS: readonly Endpoint[] = ['livez', 'readyz'];

/** The checks of a part as metrics: each by the name that kube-apiserver's have, and whether the part is ready. */
export function declareCheckMetrics(registry: MetricRegistry, part: string, checks: Checks): void {
  registry.collected({
    name: 'kubernetes_healthcheck',
    help: '1 while a named check passes, 0 while it fails, by the endpoint that lists it.',
    type: 'gauge',
    samples: () =>
      ENDPOINTS.flatMap((type) =>
        checks.at(type).map((check) => ({
          labels: { name: check.name, type },
          value: check.failing() === undefined ? 1 : 0,
        })),
      ),
  });
  registry.collected({
    name: 'tidegate_part_ready',
    help: '1 while /readyz passes, 0 while it fails, by the part that this process is.',
    type: 'gauge',
    samples: () => [{ labels: { part }, value: checks.passes('readyz') ? 1 : 0 }],
  });
}
