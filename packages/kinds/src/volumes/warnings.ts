import { warnOfFractions } from '../containers/warnings.ts';
import type { Place } from '../rules/place.ts';
import { type Tell, tellOf } from '../rules/warnings.ts';
import { eachOverlap } from './overlaps.ts';

/** Sources of volumes that nothing brings any more, and since when. */
const GONE: ReadonlyMap<string, string> = new Map([
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
/** Where a field is told by another name than it has. */
const TOLD: ReadonlyMap<string, string> = new Map([['storageos', 'storageOS']]);

/** What stands behind a volume. */
export function warnOfSource(holder: Place, tell: Tell, silent: readonly string[] = []): void {
  for (const [source, words] of GONE) {
    if (!holder.has(source) || silent.includes(source)) continue;
    tellOf(holder.as(TOLD.get(source) ?? source, null), tell, words);
  }
}

export function warnOfVolumes(volumes: Place, tell: Tell): void {
  for (const volume of volumes.items()) {
    warnOfSource(volume, tell);
    if (volume.field('ephemeral').has('volumeClaimTemplate')) {
      warnOfClaim(volume.field('ephemeral.volumeClaimTemplate.spec'), tell);
    }
  }
  for (const volume of volumes.items()) warnOfOverlaps(volume, tell);
}

/** The spec of a claim. */
export function warnOfClaim(spec: Place, tell: Tell): void {
  for (const part of ['requests', 'limits']) warnOfFractions(spec.field(`resources.${part}`), ['storage'], tell);
}

interface Target {
  readonly path: string;
  /** what puts something there */
  readonly source: string;
}

/** Files of one volume that would hide each other. */
function warnOfOverlaps(volume: Place, tell: Tell): void {
  const name = JSON.stringify(volume.field('name').text);
  for (const [part, what, called] of PARTS) {
    const source = volume.field(part);
    if (!source.has('items')) continue;
    const shown = called === undefined ? what : `${what} ${JSON.stringify(source.field(called).text)}`;
    tellOverlaps(targets(source, ''), (words) => tell(`volume ${name} (${shown}): overlapping paths: ${words}`));
  }
  if (!volume.has('projected')) return;
  const all: Target[] = [];
  for (const source of volume.field('projected.sources').items()) {
    if (source.isEmpty) tell(`volume ${name} (Projected) has no sources provided`);
    else all.push(...projected(source));
  }
  tellOverlaps(all, (words) => tell(`volume ${name} (Projected): overlapping paths: ${words}`));
}

/** The field, its word, and which of its own fields says what it takes. */
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

/** Each with those before it that it is in, or that are in it. */
function tellOverlaps(all: readonly Target[], tell: Tell): void {
  eachOverlap(
    all.map(({ path }) => path),
    (later, earlier) => tell(`${shownOf(all[later] as Target)} with ${shownOf(all[earlier] as Target)}`),
  );
}

function shownOf({ path, source }: Target): string {
  return source === '' ? JSON.stringify(path) : `${JSON.stringify(path)} (${source})`;
}
