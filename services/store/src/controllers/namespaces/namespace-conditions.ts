import { isDeepStrictEqual } from 'node:util';

/** What a terminating namespace still contains, and which deletions failed. */
export interface Remains {
  /** by resource and group, `configmaps.` or `deployments.apps` */
  readonly objects: ReadonlyMap<string, number>;
  readonly finalizers: ReadonlyMap<string, number>;
  readonly failures: readonly string[];
  /** by group version, why its contents are unknown */
  readonly undiscovered: ReadonlyMap<string, string>;
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

type State = Pick<Condition, 'status' | 'reason' | 'message'>;

/** The condition types in the order of the status, each with its reason and message where nothing is wrong. */
const GOOD: Readonly<Record<string, readonly [reason: string, message: string]>> = {
  NamespaceDeletionDiscoveryFailure: ['ResourcesDiscovered', 'All resources successfully discovered'],
  NamespaceDeletionGroupVersionParsingFailure: ['ParsedGroupVersions', 'All legacy kube types successfully parsed'],
  NamespaceDeletionContentFailure: [
    'ContentDeleted',
    'All content successfully deleted, may be waiting on finalization',
  ],
  NamespaceContentRemaining: ['ContentRemoved', 'All content successfully removed'],
  NamespaceFinalizersRemaining: ['ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
};

/** The conditions of a namespace with these contents; undefined where they are up to date. */
export function conditionsAfter(
  before: readonly Condition[],
  remains: Remains,
  now: string,
): readonly Condition[] | undefined {
  const bad = problemsOf(remains);
  const own = Object.entries(GOOD).map(([type, [reason, message]]): Condition => {
    const state: State = bad[type] ?? { status: 'False', reason, message };
    const old = before.find((condition) => condition.type === type);
    const since = old?.status === state.status ? old.lastTransitionTime : now;
    return { type, ...state, lastTransitionTime: since };
  });
  const others = before.filter(({ type }) => GOOD[type] === undefined);
  const after = [...others, ...own];
  return isDeepStrictEqual(sorted(after), sorted(before)) ? undefined : after;
}

function problemsOf({ objects, finalizers, failures, undiscovered }: Remains): Record<string, State> {
  const bad: Record<string, State> = {};
  if (undiscovered.size > 0) {
    const groups = [...undiscovered].map(([groupVersion, why]) => `${groupVersion}: ${why}`).sort();
    const message = `Discovery failed for some groups, ${groups.length} failing: unable to retrieve the complete list of server APIs: ${groups.join(', ')}`;
    bad.NamespaceDeletionDiscoveryFailure = { status: 'True', reason: 'DiscoveryFailed', message };
  }
  if (failures.length > 0) {
    const message = `Failed to delete all resource types, ${failures.length} remaining: ${[...failures].sort().join(', ')}`;
    bad.NamespaceDeletionContentFailure = { status: 'True', reason: 'ContentDeletionFailed', message };
  }
  if (objects.size > 0) {
    const message = `Some resources are remaining: ${counted(objects, 'has')}`;
    bad.NamespaceContentRemaining = { status: 'True', reason: 'SomeResourcesRemain', message };
  }
  if (finalizers.size > 0) {
    const message = `Some content in the namespace has finalizers remaining: ${counted(finalizers, 'in')}`;
    bad.NamespaceFinalizersRemaining = { status: 'True', reason: 'SomeFinalizersRemain', message };
  }
  return bad;
}

function counted(counts: ReadonlyMap<string, number>, verb: string): string {
  return [...counts]
    .map(([name, count]) => `${name} ${verb} ${count} resource instances`)
    .sort()
    .join(', ');
}

function sorted(conditions: readonly Condition[]): Condition[] {
  return [...conditions].sort((a, b) => (a.type < b.type ? -1 : 1));
}
