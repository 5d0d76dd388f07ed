import type { ApiPriority } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import type { Document } from './document.ts';

/** A group version that another server serves, as it says itself. */
export interface RemoteVersion {
  readonly group: string;
  readonly version: string;
  /** in the aggregated form of discovery */
  readonly entry: JsonObject;
  /** undefined where it has none */
  readonly openApi: { readonly document: Document | undefined; readonly protobuf: Document | undefined };
}

/** What there is beside the registry: group versions of others, and the order of all. */
export interface ServedElsewhere {
  /** it is another one whenever any of it is */
  readonly revision: number;
  readonly versions: Iterable<RemoteVersion>;
  /** undefined where nobody has said anything of it */
  priority(group: string, version: string): ApiPriority | undefined;
}

/** Where there is but one server. */
export const NOTHING_ELSEWHERE: ServedElsewhere = { revision: 0, versions: [], priority: () => undefined };
