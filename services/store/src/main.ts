import { runMain } from '@tidegate/service-kit';
import { options } from './config.ts';
import { StoreService } from './service.ts';

await runMain({ part: 'store', options, create: (config, kit) => new StoreService(config, kit) });
