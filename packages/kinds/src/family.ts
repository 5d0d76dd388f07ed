import type { JsonObject } from '@tidegate/schema';
import type { Column, KindRules } from './kind-entry.ts';
import type { Usage } from './rules/amounts.ts';
import type { SetDefaults } from './rules/default-rules.ts';
import type { StatusCounts } from './rules/status-counts.ts';
import type { RuleTable, UpdateChecks } from './rules/type-rules.ts';
import type { Warnings } from './rules/warnings.ts';

/** By `resource` or `resource.group`: `pods`, `deployments.apps`. */
export type ByResource<T> = Readonly<Record<string, T>>;

/** What an object of one kind uses of quotas. */
export interface QuotaUsage {
  /** the names in quotas that objects of this kind count for, beside `count/RESOURCE` */
  readonly names: readonly string[];
  /** whether objects count for another name, too */
  readonly countsFor?: (name: string) => boolean;
  /** adds what one object uses; without it each object uses one of its own resource */
  readonly add?: (usage: Usage, object: JsonObject) => void;
}

/**
 * One kind or related kinds, with everything that their facts do not say. The files of a family are in one folder; the
 * table in families.ts lists all families. `rules` and `defaults` may also have entries for one version:
 * `resource.version.group`.
 */
export interface Family {
  readonly rules?: ByResource<KindRules>;
  /** what the server sets where a client left a field out */
  readonly defaults?: ByResource<SetDefaults>;
  /** fields that are accepted but not stored, by type: their features are not implemented */
  readonly dropped?: Readonly<Record<string, readonly string[]>>;
  /** the Table that kubectl prints */
  readonly columns?: ByResource<readonly Column[]>;
  /** what makes an object invalid, by type and field */
  readonly types?: RuleTable;
  /** what an update may not change, by path; the empty path is the whole object */
  readonly updates?: ByResource<UpdateChecks>;
  /** numbers of the status that depend on each other */
  readonly statusCounts?: ByResource<StatusCounts>;
  readonly warnings?: ByResource<Warnings>;
  readonly usage?: ByResource<QuotaUsage>;
}
