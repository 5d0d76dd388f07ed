import { measureCollections } from './collections.ts';
import { measureGateways } from './gateways.ts';
import { measureLeases } from './leases.ts';
import type { ScaleOptions } from './options.ts';
import { measureWatches } from './watches.ts';

export type Print = (line: string) => void;

/** How far one installation goes, each as a table. */
export const measurements: Readonly<Record<string, (options: ScaleOptions, print: Print) => Promise<void>>> = {
  collections: measureCollections,
  watches: measureWatches,
  gateways: measureGateways,
  leases: measureLeases,
};
