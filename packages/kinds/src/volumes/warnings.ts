import { warnOfFractions } from '../containers/warnings.ts';
import type { Place } from '../rules/place.ts';
import { type AddWarning, warnAt } from '../rules/warnings.ts';
import { eachOverlap } from './overlaps.ts';

/** Removed sources of volumes, and the release of their removal. */
const REMOVED_SOURCES: ReadonlyMap<string, string> = new Map([
  ['photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'deprecated in v1.28, non-functional in v1.31+'],
]);
/** Fields that warnings call by another name. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([['storageos', 'storageOS']]);

/** Warns of removed volume sources. */
export function warnOfSource(holder: Place, warn: AddWarning, ignored: readonly string[] = []): void {
  for (const [source, text] of REMOVED_SOURCES) {
    if (!holder.has(source) || ignored.includes(source)) continue;
    warnAt(holder.as(OTHER_NAMES.get(source) ?? source, null), warn, text);
  }
}

export function warnOfVolumes(volumes: Place, warn: AddWarning): void {
  for (const volume of volumes.items()) {
    warnOfSource(volume, warn);
    if (volume.field('ephemeral').has('volumeClaimTemplate')) {
      warnOfClaim(volume.field('ephemeral.volumeClaimTemplate.spec'), warn);
    }
  }
  for (const volume of volumes.items()) warnOfOverlaps(volume, warn);
}

/** Warns of the spec of a claim. */
export function warnOfClaim(spec: Place, warn: AddWarning): void {
  for (const part of ['requests', 'limits']) warnOfFractions(spec.field(`resources.${part}`), ['storage'], warn);
}

interface Target {
  readonly path: string;
  /** the source of the file */
  readonly source: string;
}

/** Warns of files of one volume that hide each other. */
function warnOfOverlaps(volume: Place, warn: AddWarning): void {
  const name = JSON.stringify(volume.field('name').text);
  for (const [part, what, called] of PARTS) {
    const source = volume.field(part);
    if (!source.has('items')) continue;
    const shown = called === undefined ? what : `${what} ${JSON.stringify(source.field(called).text)}`;
    warnOfPairs(targets(source, ''), (text) => warn(`volume ${name} (${shown}): overlapping paths: ${text}`));
  }
  if (!volume.has('projected')) return;
  const all: Target[] = [];
  for (const source of volume.field('projected.sources').items()) {
    if (source.isEmpty) warn(`volume ${name} (Projected) has no sources provided`);
    else all.push(...projected(source));
  }
  warnOfPairs(all, (text) => warn(`volume ${name} (Projected): overlapping paths: ${text}`));
}

/** The sources of a projected volume: field, name in warnings, and its field with the name of the object. */
const PARTS = [
  ['configMap', 'ConfigMap', 'name'],
  ['secret', 'Secret', 'secretName'],
  ['downwardAPI', 'DownwardAPI', undefined],
] as const;

function projected(source: Place): Target[] {
  for (const [part, what, called] of PARTS) {
    if (!source.has(part)) continue;
    const of = source.field(part);
    return targets(of, called === undefined ? what : `${what} ${JSON.stringify(of.field('name').text)}`);
  }
  const { serviceAccountToken, clusterTrustBundle, podCertificate } = source.object;
  if (serviceAccountToken !== undefined)
    return [target(source.field('serviceAccountToken.path'), 'ServiceAccountToken')];
  if (clusterTrustBundle !== undefined) {
    const bundle = source.field('clusterTrustBundle');
    const name = bundle.field(bundle.has('name') ? 'name' : 'signerName').text;
    return [target(bundle.field('path'), `ClusterTrustBundle ${JSON.stringify(name)}`)];
  }
  if (podCertificate === undefined) return [];
  const certificate = source.field('podCertificate');
  return [
    target(certificate.field('certificateChainPath'), 'PodCertificate chain'),
    target(certificate.field('keyPath'), 'PodCertificate key'),
    target(certificate.field('credentialBundlePath'), 'PodCertificate credential bundle'),
  ].filter(({ path }) => path !== '');
}

function targets(source: Place, word: string): Target[] {
  return source
    .field('items')
    .items()
    .map((item) => target(item.field('path'), word));
}

function target({ text }: Place, source: string): Target {
  let end = text.length;
  while (text[end - 1] === '/') end--;
  return { path: text.slice(0, end), source };
}

/** Warns of each file that overlaps with an earlier one. */
function warnOfPairs(all: readonly Target[], warn: AddWarning): void {
  eachOverlap(
    all.map(({ path }) => path),
    (later, earlier) => warn(`${shownOf(all[later] as Target)} with ${shownOf(all[earlier] as Target)}`),
  );
}

function shownOf({ path, source }: Target): string {
  return source === '' ? JSON.stringify(path) : `${JSON.stringify(path)} (${source})`;
}
