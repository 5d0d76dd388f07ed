import { runMain } from '@tidegate/service-kit';
import { options } from './config.ts';
import { HealthService } from './service.ts';

await runMain({ part: 'health', options, create: (config, kit) => new HealthService(config, kit) });
