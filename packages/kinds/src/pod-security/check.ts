import { type Json, type JsonObject, listOf } from '@tidegate/schema';
import { partOf } from '../rules/fields.ts';

/** The parts of a pod that the checks use. */
export interface Subject {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: JsonObject;
}

export interface Finding {
  readonly reason: string;
  readonly detail: string;
}

/** One check, from a minor version of Kubernetes on. */
export interface Check {
  readonly since: number;
  /** from this version on another form of the check replaces it */
  readonly until?: number;
  /** from this version on another check replaces it at the restricted level */
  readonly replacedSince?: number;
  readonly evaluate: (subject: Subject) => Finding | undefined;
}

export function containersOf(spec: JsonObject): JsonObject[] {
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) => listOf(spec, list));
}

export function securityOf(object: JsonObject): JsonObject {
  return partOf(object, 'securityContext');
}

export function namesOf(containers: readonly JsonObject[]): string[] {
  return containers.map(({ name }) => String(name));
}

export function quoted(items: readonly string[]): string {
  return items.map((item) => `"${item}"`).join(', ');
}

export function plural(word: string, count: number): string {
  return count === 1 ? word : `${word}s`;
}

/** `container "a"`, `containers "a", "b"` */
export function counted(word: string, names: readonly string[]): string {
  return `${plural(word, names.length)} ${quoted(names)}`;
}

/** `pod and containers "a", "b"`: the parts of a pod that set a field; empty when none does. */
export function setters(isPod: boolean, containers: readonly JsonObject[]): string {
  const names = namesOf(containers);
  return [...(isPod ? ['pod'] : []), ...(names.length === 0 ? [] : [counted('container', names)])].join(' and ');
}

export function distinct(values: readonly Json[]): string[] {
  return [...new Set(values.map(String))].sort();
}

export function isWindows(spec: JsonObject): boolean {
  return partOf(spec, 'os').name === 'windows';
}

/** The pod has its own user namespace. */
export function hasOwnUsers(spec: JsonObject): boolean {
  return spec.hostUsers === false;
}

export function seccompOf(object: JsonObject): Json | undefined {
  return partOf(securityOf(object), 'seccompProfile').type;
}

export function isKnownSeccomp(object: JsonObject): boolean {
  const type = seccompOf(object);
  return type === 'Localhost' || type === 'RuntimeDefault';
}

/** The parts of a pod that set a forbidden seccomp profile. */
export function seccompSetters(spec: JsonObject, isBad: (object: JsonObject) => boolean): Finding | undefined {
  const containers = containersOf(spec).filter(isBad);
  const parts = setters(isBad(spec), containers);
  if (parts === '') return undefined;
  const values = distinct([spec, ...containers].filter(isBad).map((object) => seccompOf(object) as Json));
  return {
    reason: 'seccompProfile',
    detail: `${parts} must not set securityContext.seccompProfile.type to ${quoted(values)}`,
  };
}
