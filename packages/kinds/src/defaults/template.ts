import { isJsonObject, type JsonObject } from '@tidegate/schema';
import { below, type DefaultRules, defaulter } from './default-rules.ts';
import { podSpecDefaults } from './pod.ts';

/** Sets what a client left out. */
export type SetDefaults = (object: JsonObject) => void;

/** Defaults of a kind whose spec has a template of pods. */
export function withTemplate(rules: DefaultRules): SetDefaults {
  return defaulter({ ...rules, ...below('spec.template.spec', podSpecDefaults) });
}

/** The labels of the pods that an object makes; undefined when there are none. */
export function templateLabels(object: JsonObject): Record<string, string> | undefined {
  const labels = ((templateOf(object)?.metadata ?? {}) as JsonObject).labels;
  return isJsonObject(labels) && Object.keys(labels).length > 0 ? (labels as Record<string, string>) : undefined;
}

function templateOf(object: JsonObject): JsonObject | undefined {
  const template = isJsonObject(object.spec) ? object.spec.template : undefined;
  return isJsonObject(template) ? template : undefined;
}
