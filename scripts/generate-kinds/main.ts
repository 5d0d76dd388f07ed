import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type GroupVersionFacts, readDiscoveryFacts } from './discovery-facts.ts';
import { readGoFacts } from './go-facts.ts';
import { downloadModules } from './modules.ts';
import { readPublishedSchemas } from './open-api-facts.ts';
import { placeOf, readProtobufFacts } from './protobuf-facts.ts';
import { type TypeFacts, typeFacts, typeName } from './type-facts.ts';

/** Writes packages/kinds/facts anew from the published descriptors: the facts of every stable kind, and no prose. */
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const output = join(root, 'packages/kinds/facts');

const modules = downloadModules();
const published = readPublishedSchemas(join(modules.kubernetes, 'api/openapi-spec/v3'));
const groupVersions = readDiscoveryFacts(join(modules.kubernetes, 'api/discovery'));
const descriptors = {
  published,
  protobuf: readProtobufFacts([
    modules.api,
    ...['pkg/apis/meta/v1', 'pkg/runtime', 'pkg/api/resource', 'pkg/util/intstr'].map((folder) =>
      join(modules.apimachinery, folder),
    ),
    join(modules.apiextensions, 'pkg/apis'),
    join(modules.aggregator, 'pkg/apis'),
  ]),
  go: readGoFacts(
    [
      ...globSync('*/v[12]', { cwd: modules.api }).map((folder) => join(modules.api, folder)),
      join(modules.apimachinery, 'pkg/apis/meta/v1'),
      join(modules.apiextensions, 'pkg/apis/apiextensions/v1'),
      join(modules.aggregator, 'pkg/apis/apiregistration/v1'),
    ],
    join(modules.kubernetes, 'pkg/generated/openapi/zz_generated.openapi.go'),
  ),
};

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const ALWAYS = ['ObjectMeta', 'ListMeta', 'DeleteOptions', 'Status', 'WatchEvent'].map((name) => `${META}.${name}`);

const places = new Map<string, { reference: string; types: Map<string, TypeFacts> }>();
const waiting = [...ALWAYS, ...groupVersions.flatMap(rootsOf)];
for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
  const [place = '', type = ''] = typeName(name).split('/');
  const there = places.get(place) ?? { reference: name.slice(0, name.lastIndexOf('.')), types: new Map() };
  places.set(place, there);
  if (there.types.has(type)) continue;
  there.types.set(type, {});
  there.types.set(
    type,
    typeFacts(name, descriptors, (met) => waiting.push(met)),
  );
}

rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });
for (const [place, { reference, types }] of places) {
  const lines = [...types].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, facts]) => line(name, facts));
  write(`${place}.json`, `{\n"reference":${JSON.stringify(reference)},\n"types":{\n${lines.join(',\n')}\n}\n}\n`);
}
write('resources.json', `[\n${groupVersions.map(groupVersionText).join(',\n')}\n]\n`);

/** The published types of the kinds that a group version serves. */
function rootsOf({ group, version, resources }: GroupVersionFacts): string[] {
  return resources.flatMap(({ kind, subresources = {} }) => [
    ...publishedKind(group, version, kind),
    ...Object.values(subresources).flatMap((sub) =>
      sub.kind === undefined ? [] : publishedKind(sub.group ?? group, sub.version ?? version, sub.kind),
    ),
  ]);
}

/** None where a kind is only a set of options in a query. */
function publishedKind(group: string, version: string, kind: string): string[] {
  for (const [name, schema] of published) {
    const kinds = schema['x-kubernetes-group-version-kind'] ?? [];
    if (kinds.some((found) => found.group === group && found.version === version && found.kind === kind)) return [name];
  }
  return [];
}

function groupVersionText({ group, version, resources }: GroupVersionFacts): string {
  const [{ kind } = { kind: '' }] = resources;
  const [name = ''] = publishedKind(group, version, kind);
  const types = placeOf(name.slice(0, name.lastIndexOf('.')));
  const lines = resources.map((facts) => JSON.stringify(facts));
  return `{"group":"${group}","version":"${version}","types":"${types}","resources":[\n${lines.join(',\n')}\n]}`;
}

function line(name: string, facts: TypeFacts): string {
  return `${JSON.stringify(name)}:${JSON.stringify(facts)}`;
}

function write(file: string, text: string): void {
  JSON.parse(text);
  writeFileSync(join(output, file), text);
}
