import type { Kind, ObjectMeta } from '@tidegate/kinds';
import type { ObjectPaths } from '../gateway/object-paths.ts';
import type { NamespaceContent, ObjectQueries, ObjectReader, TerminatingNamespace } from '../port.ts';

/** the maximum number of remaining objects that are read for their finalizers */
const MAX_READ = 10_000;
const PORTION = 512;

interface RemainingContents {
  /** by resource and group, `configmaps.` or `deployments.apps` */
  readonly objects: Map<string, number>;
  readonly finalizers: Map<string, number>;
}

/** Counts what remains in a terminating namespace, by resource and by finalizer. */
export async function remainingContents(
  sources: { readonly objects: ObjectQueries; readonly reads: ObjectReader },
  paths: ObjectPaths,
  { name, contents }: Pick<TerminatingNamespace, 'name' | 'contents'>,
): Promise<RemainingContents> {
  return {
    objects: new Map(contents.map(({ resource, objects }) => [nameOf(paths.kindAt(resource), resource), objects])),
    finalizers: await finalizersIn(sources, name, contents),
  };
}

async function finalizersIn(
  { objects, reads }: { readonly objects: ObjectQueries; readonly reads: ObjectReader },
  namespace: string,
  contents: readonly NamespaceContent[],
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  let left = MAX_READ;
  for (const { resource } of contents) {
    const keys = await objects.keysIn(resource, namespace, left);
    left -= keys.length;
    for (let at = 0; at < keys.length; at += PORTION) {
      for (const { object } of await reads.read(keys.slice(at, at + PORTION))) {
        if (object === null || object.corrupt !== '') continue;
        const { metadata } = JSON.parse(Buffer.from(object.value).toString('utf8')) as { metadata: ObjectMeta };
        for (const finalizer of metadata.finalizers ?? []) counts.set(finalizer, (counts.get(finalizer) ?? 0) + 1);
      }
    }
  }
  return counts;
}

function nameOf(kind: Kind | undefined, resource: string): string {
  return kind === undefined ? resource : `${kind.entry.resource}.${kind.entry.group}`;
}
