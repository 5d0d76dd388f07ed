import type { JsonObject } from '@tidegate/schema';
import { type Plugin, refused, specOf } from './plugin.ts';

/** Rejects new external IPs of Services: with them, a user can intercept traffic to any address (CVE-2020-8554). */
export const denyServiceExternalIps: Plugin = {
  name: 'DenyServiceExternalIPs',
  handles: ['CREATE services', 'UPDATE services'],
  validate: (admitted) => {
    const before = new Set(admitted.old === undefined ? [] : externalIpsOf(admitted.old));
    if (externalIpsOf(admitted.object).every((address) => before.has(address))) return;
    throw refused(admitted, 'Use of external IPs is denied by admission control');
  },
};

function externalIpsOf(service: JsonObject): readonly unknown[] {
  const { externalIPs } = specOf(service);
  return Array.isArray(externalIPs) ? externalIPs : [];
}
