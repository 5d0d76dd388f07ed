import { createHash } from 'node:crypto';
import type { OwnerReference } from '@tidegate/kinds';
import type { Found } from './owner-states.ts';

interface Involved {
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * An Event about an object without a namespace whose owner is of a namespaced kind. Its name follows from its content, so
 * that it is created once.
 */
export function invalidOwnerEvent({ apiVersion, kind }: Involved, { key, uid }: Found, owner: OwnerReference): object {
  const { name } = key;
  const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const reference = `[${owner.apiVersion}/${owner.kind}, namespace: , name: ${owner.name}, uid: ${owner.uid}]`;
  const once = createHash('sha256').update(`${uid} ${reference}`).digest('hex').slice(0, 16);
  return {
    kind: 'Event',
    apiVersion: 'v1',
    metadata: { name: `${name}.${once}`, namespace: 'default' },
    involvedObject: { kind, apiVersion, name, uid },
    type: 'Warning',
    reason: 'OwnerRefInvalidNamespace',
    message: `ownerRef ${reference} does not exist in namespace ""`,
    source: { component: 'garbage-collector-controller' },
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
  };
}
