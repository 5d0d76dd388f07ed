import type { Checks, Endpoint } from './checks.ts';
import type { MetricRegistry } from './metric-registry.ts';

const ENDPOINTS: readonly Endpoint[] = ['livez', 'readyz'];

/** Declares the metrics of the checks, under kube-apiserver's name, and of the part's readiness. */
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
