import type { Json, JsonObject } from '@tidegate/schema';
import { partOf } from '../quota/parts.ts';
import { containersOf, distinct, type Finding, quoted, securityOf, setters } from './check.ts';

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
