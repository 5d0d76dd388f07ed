import type { JsonObject, Schema } from '@tidegate/schema';
import type { FieldError } from '@tidegate/status';

/** A column of the Table form. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly format?: string;
  readonly description: string;
  /** above 0: only in wide output */
  readonly priority?: number;
  readonly cell: (object: JsonObject) => string | number | null;
}

/** Everything the server knows about one kind: facts first, and the few rules that a schema cannot say. */
export interface KindEntry {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly resource: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories?: readonly string[];
  readonly namespaced: boolean;
  /** fields beyond apiVersion, kind and metadata */
  readonly fields: Readonly<Record<string, Schema>>;
  /** names are DNS labels instead of DNS subdomains */
  readonly nameIsLabel?: boolean;
  /** subresources that are served, with their verbs */
  readonly subresources?: Readonly<Record<string, readonly string[]>>;
  readonly columns?: readonly Column[];
  readonly selectableFields?: Readonly<Record<string, (object: JsonObject) => string>>;
  /** answers a delete with the object instead of a Status */
  readonly deleteReturnsObject?: boolean;
  /** an object is deleted by itself when nobody has written it for so long */
  readonly lifetimeSeconds?: number;
  /** names that may not be deleted */
  readonly undeletable?: readonly string[];
  /** an update must carry a resourceVersion */
  readonly conditionalUpdate?: boolean;
  /** sets what the server decides on creation */
  readonly prepareCreate?: (object: JsonObject) => void;
  /** takes back what an update may not change */
  readonly prepareUpdate?: (object: JsonObject, old: JsonObject, subresource: string) => void;
  /** sets what shows that deletion has begun */
  readonly prepareDelete?: (object: JsonObject) => void;
  /** more than metadata.finalizers holds a deleting object back */
  readonly held?: (object: JsonObject) => boolean;
  readonly validate?: (object: JsonObject) => FieldError[];
  readonly validateUpdate?: (object: JsonObject, old: JsonObject) => FieldError[];
}
