import type { Json, JsonObject } from '@tidegate/schema';
import { listOf, partOf } from '../rules/fields.ts';

/** What a pod is judged by. */
export interface Subject {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: JsonObject;
}

export interface Finding {
  readonly reason: string;
  readonly detail: string;
}

/** One rule, from one minor version of Kubernetes on. */
export interface Check {
  readonly since: number;
  /** another form of it takes its place from here on */
  readonly until?: number;
  /** from here on another rule takes its place where the level is restricted */
  readonly replacedSince?: number;
  readonly judge: (subject: Subject) => Finding | undefined;
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

/** `pod and containers "a", "b"`: who has set something; empty where nobody has. */
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

/** Its users are not those of the node. */
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

/** Who has set a profile that may not be. */
export function seccompSetters(spec: JsonObject, isBad: (object: JsonObject) => boolean): Finding | undefined {
  const containers = containersOf(spec).filter(isBad);
  const who = setters(isBad(spec), containers);
  if (who === '') return undefined;
  const values = distinct([spec, ...containers].filter(isBad).map((object) => seccompOf(object) as Json));
  return {
    reason: 'seccompProfile',
    detail: `${who} must not set securityContext.seccompProfile.type to ${quoted(values)}`,
  };
}
