import type { FeatureGates } from '@tidegate/feature-gates';
import type { Kit, KitConfig, Options } from '@tidegate/service-kit';
import type { options } from '../config.ts';
import type { GatewayMetrics } from '../metrics.ts';

export type GatewayConfig = Options<typeof options> & KitConfig;

/** What all compose functions receive. */
export interface Given {
  readonly config: GatewayConfig;
  readonly kit: Kit;
  readonly gates: FeatureGates;
  readonly metrics: GatewayMetrics;
}
