import { setFlagsFromString } from 'node:v8';
import { runMain } from '@tidegate/service-kit';
import { options } from './config.ts';
import { StoreService } from './service.ts';

// Each read of a socket counts 64 KiB of external memory, and by V8's own rule that alone starts a collection of the
// whole heap every 50 ms: a third of this process's CPU. With this rule the bytes count as part of the heap's limit.
setFlagsFromString('--external-memory-accounted-in-global-limit');

await runMain({ part: 'store', options, create: (config, kit) => new StoreService(config, kit) });
