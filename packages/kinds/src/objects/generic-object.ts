import type { JsonObject } from '@tidegate/schema';

export interface OwnerReference {
  apiVersion?: string;
  kind?: string;
  name?: string;
  uid?: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** The metadata that every object has, as the server reads it. */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  selfLink?: string;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: JsonObject[];
}

/** An object of any kind: its fields beyond metadata are described by its kind's schema. */
export type GenericObject = JsonObject & { apiVersion?: string; kind?: string };

export function metaOf(object: JsonObject): ObjectMeta {
  object.metadata ??= {};
  return object.metadata as ObjectMeta;
}
