import { isJsonObject, type JsonObject } from '@tidegate/schema';
import { metaOf } from '../objects/generic-object.ts';
import type { JsonSchema } from './values/json-schema.ts';

export interface Names {
  readonly plural: string;
  readonly singular?: string;
  readonly kind: string;
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
}

export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

export interface DefinedVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: { readonly openAPIV3Schema?: JsonSchema };
  readonly subresources?: { readonly status?: JsonObject; readonly scale?: ScalePaths };
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly selectableFields?: ReadonlyArray<{ readonly jsonPath: string }>;
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime?: string;
}

interface ConversionWebhook {
  readonly clientConfig: JsonObject;
  readonly conversionReviewVersions: readonly string[];
}

/** A CustomResourceDefinition, as far as the server uses it. */
export interface Definition {
  readonly name: string;
  readonly group: string;
  readonly namespaced: boolean;
  readonly versions: readonly DefinedVersion[];
  readonly conversion: string;
  /** the webhook that converts between its versions, if any */
  readonly webhook?: ConversionWebhook;
  /** the names of the spec */
  readonly names: Names;
  /** the accepted names */
  readonly acceptedNames: Names;
  readonly conditions: readonly Condition[];
  /** 1: the spec has never changed */
  readonly generation: number;
  readonly deleting: boolean;
  /** the approval of the Kubernetes community for a name in its groups; '' without one */
  readonly approval: string;
}

export const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';
/** The finalizer that keeps a definition until its objects are deleted. */
export const CLEANUP = 'customresourcecleanup.apiextensions.k8s.io';

/** The annotation with the approval of a definition in a protected group. */
export const APPROVED = 'api-approved.kubernetes.io';

/** Whether a group is protected: it belongs to the Kubernetes community. */
export function isProtected(group: string): boolean {
  return /(^|\.)(k8s|kubernetes)\.io$/.test(group);
}

export function readDefinition(object: JsonObject): Definition {
  const { name = '', generation = 1, deletionTimestamp, annotations = {} } = metaOf(object);
  const spec = (isJsonObject(object.spec) ? object.spec : {}) as unknown as Spec;
  const status = (isJsonObject(object.status) ? object.status : {}) as unknown as DefinitionStatus;
  return {
    name,
    group: spec.group,
    namespaced: spec.scope === 'Namespaced',
    versions: spec.versions ?? [],
    conversion: spec.conversion?.strategy ?? 'None',
    ...(spec.conversion?.webhook === undefined ? {} : { webhook: spec.conversion.webhook }),
    names: spec.names,
    acceptedNames: status.acceptedNames ?? { plural: '', kind: '' },
    conditions: status.conditions ?? [],
    generation,
    deleting: deletionTimestamp !== undefined,
    approval: annotations[APPROVED] ?? '',
  };
}

interface Spec {
  readonly group: string;
  readonly scope: string;
  readonly names: Names;
  readonly versions?: readonly DefinedVersion[];
  readonly conversion?: { readonly strategy?: string; readonly webhook?: ConversionWebhook };
}

interface DefinitionStatus {
  readonly acceptedNames?: Names;
  readonly conditions?: readonly Condition[];
}

export function hasCondition({ conditions }: Definition, type: string): boolean {
  return conditions.some((condition) => condition.type === type && condition.status === 'True');
}

/** Compares versions as Kubernetes does, the preferred one first: v2, v1, v2beta1, v1alpha1, then others by name. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [rankOf(a), rankOf(b)];
  for (const [i, rank] of left.entries()) {
    const difference = (right[i] ?? 0) - rank;
    if (difference !== 0) return difference;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

const STAGES = ['alpha', 'beta', undefined];

function rankOf(version: string): number[] {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (match === null) return [0, 0, 0];
  return [STAGES.indexOf(match[2]) + 1, Number(match[1]), Number(match[3] ?? 0)];
}
