import { isJsonObject, type JsonObject, listOf } from '@tidegate/schema';
import { notSupported } from '@tidegate/status';
import { type Admitted, CONTAINER_LISTS, type Plugin, refused, specOf } from './plugin.ts';

const ALWAYS = 'Always';

/** An object with a pull policy, and the path of that field. */
interface Pull {
  readonly of: JsonObject;
  readonly field: 'imagePullPolicy' | 'pullPolicy';
  readonly path: string;
}

/**
 * Makes every pod pull its images with its own credentials, so that a private image that was pulled for one pod is not
 * available to all pods on the node.
 */
export const alwaysPullImages: Plugin = {
  name: 'AlwaysPullImages',
  handles: ['CREATE pods', 'UPDATE pods'],
  mutate: (admitted) => {
    if (hasNewImages(admitted)) for (const { of, field } of pullsOf(admitted.object)) of[field] = ALWAYS;
  },
  validate: (admitted) => {
    if (!hasNewImages(admitted)) return;
    for (const { of, field, path } of pullsOf(admitted.object)) {
      if (of[field] !== ALWAYS) throw refused(admitted, unsupported(path, of[field]));
    }
  },
};

function unsupported(path: string, policy: unknown): string {
  const { field, message } = notSupported(path, policy, [ALWAYS]);
  return `${field}: ${message}`;
}

/** Updates without a new container image keep their pull policies, because the API forbids changes of these. */
function hasNewImages({ object, old }: Admitted): boolean {
  if (old === undefined) return true;
  const images = new Set(containersOf(old).map(({ of: { image } }) => image));
  return containersOf(object).some(({ of: { image } }) => !images.has(image));
}

function pullsOf(pod: JsonObject): Pull[] {
  return [...containersOf(pod), ...imageVolumesOf(pod)];
}

function containersOf(pod: JsonObject): Pull[] {
  const spec = specOf(pod);
  return CONTAINER_LISTS.flatMap((list) =>
    listOf(spec, list).map((of, i) => ({
      of,
      field: 'imagePullPolicy' as const,
      path: `spec.${list}[${i}].imagePullPolicy`,
    })),
  );
}

function imageVolumesOf(pod: JsonObject): Pull[] {
  return listOf(specOf(pod), 'volumes').flatMap(({ image: of }, i) =>
    isJsonObject(of) ? [{ of, field: 'pullPolicy' as const, path: `spec.volumes[${i}].image.pullPolicy` }] : [],
  );
}
