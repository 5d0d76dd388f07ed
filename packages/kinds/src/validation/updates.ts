import { onlyStatefulFields } from './apps.ts';
import { unchanged } from './checks.ts';
import type { Place } from './place.ts';

/** Looks at a field beside what was there. */
type UpdateCheck = (place: Place, old: Place) => void;

/** What an update may not change, by resource and path; the empty path is the whole object. */
export const updateRules: Readonly<Record<string, Readonly<Record<string, UpdateCheck>>>> = {
  'deployments.apps': { 'spec.selector': unchanged },
  'replicasets.apps': { 'spec.selector': unchanged },
  'daemonsets.apps': { 'spec.selector': unchanged },
  'statefulsets.apps': { '': onlyStatefulFields },
  'controllerrevisions.apps': { data: unchanged },
};
