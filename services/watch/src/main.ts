import { runMain } from '@tidegate/service-kit';
import { options } from './config.ts';
import { WatchService } from './service.ts';

await runMain({ part: 'watch', options, create: (config, kit) => new WatchService(config, kit) });
