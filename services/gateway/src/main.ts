import { runMain } from '@tidegate/service-kit';
import { options } from './config.ts';
import { GatewayService } from './service.ts';

await runMain({ part: 'gateway', options, create: (config, kit) => new GatewayService(config, kit) });
