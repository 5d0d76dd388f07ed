import { type Kind, type KindEntry, kindOf } from '@tidegate/kinds';
import type { ResourceRequest } from '../gateway.ts';

const kinds = new WeakMap<KindEntry, Kind>();

/** The same request, seen as one about what its subresource takes and answers: a Scale, a Binding, an Eviction. */
export function asSubresource(request: ResourceRequest): ResourceRequest {
  const { kind, info } = request;
  const entry = kind.entry.subresources[info.subresource]?.entry;
  if (entry === undefined) throw new Error(`${kind.entry.resource}/${info.subresource} is no kind of its own`);
  let own = kinds.get(entry);
  if (own === undefined) {
    own = kindOf(entry);
    kinds.set(entry, own);
  }
  return { ...request, kind: own };
}
