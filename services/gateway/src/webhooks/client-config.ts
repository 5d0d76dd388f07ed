import { isJsonObject } from '@tidegate/schema';
import type { ServiceReference } from './service-targets.ts';
import type { ClientConfig } from './webhook-calls.ts';

/** How a webhook is reached, as a configuration or a definition says. */
export function clientConfigOf(value: unknown): ClientConfig {
  const config = isJsonObject(value) ? value : {};
  return {
    ...(typeof config.url === 'string' ? { url: config.url } : {}),
    ...(typeof config.caBundle === 'string' ? { caBundle: config.caBundle } : {}),
    ...(isJsonObject(config.service) ? { service: config.service as unknown as ServiceReference } : {}),
  };
}
