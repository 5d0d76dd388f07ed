import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parameterWords, swaggerWords, typeWords } from './description-facts.ts';
import { BETA, type GroupVersionFacts, readDiscoveryFacts } from './discovery-facts.ts';
import { readGoFacts } from './go-facts.ts';
import { downloadModules, MODULES } from './modules.ts';
import { readPublishedOperations, readPublishedSchemas } from './open-api-facts.ts';
import { placeOf, readProtobufFacts } from './protobuf-facts.ts';
import { type TypeFacts, typeFacts, typeName } from './type-facts.ts';

/**
 * Generates packages/kinds/facts and packages/kinds/descriptions from the published descriptors: the facts of every
 * stable kind and of some beta kinds, and the descriptions of their fields.
 */
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

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
      ...[...globSync('*/v[12]', { cwd: modules.api }), ...BETA.map((name) => name.replace('.k8s.io', ''))].map(
        (folder) => join(modules.api, folder),
      ),
      join(modules.apimachinery, 'pkg/apis/meta/v1'),
      join(modules.apiextensions, 'pkg/apis/apiextensions/v1'),
      join(modules.aggregator, 'pkg/apis/apiregistration/v1'),
    ],
    join(modules.kubernetes, 'pkg/generated/openapi/zz_generated.openapi.go'),
  ),
};

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const ALWAYS = ['ObjectMeta', 'ListMeta', 'DeleteOptions', 'Status', 'WatchEvent'].map((name) => `${META}.${name}`);

const NOTICE = `# Where these texts come from

The descriptions in this folder are those of Kubernetes: Copyright The Kubernetes Authors, licensed under the Apache
License 2.0 (https://www.apache.org/licenses/LICENSE-2.0), the licence of this project. They are copied unchanged by
\`npm run generate:kinds\` from these published modules:
`;

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

const writeFacts = intoFolder('packages/kinds/facts');
for (const [place, { reference, types }] of places) {
  const lines = [...types].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, facts]) => line(name, facts));
  writeFacts(`${place}.json`, `{\n"reference":${JSON.stringify(reference)},\n"types":{\n${lines.join(',\n')}\n}\n}\n`);
}
writeFacts('resources.json', `[\n${groupVersions.map(groupVersionText).join(',\n')}\n]\n`);
writeDescriptions();

/**
 * Writes the descriptions: a file for each package of types, one for parameters, and one for fields of all custom
 * kinds.
 */
function writeDescriptions(): void {
  const writeWords = intoFolder('packages/kinds/descriptions');
  const roots = groupVersions.flatMap(rootsOf);
  const names = [...ALWAYS, `${META}.Patch`, ...roots, ...roots.map((name) => `${name}List`)];
  const { enumDescriptions } = descriptors.go;
  for (const [name, types] of typeWords(names, { published, enumDescriptions, shortName: typeName })) {
    const lines = [...types].map(([type, words]) => line(type, words));
    writeWords(`${name}.json`, `{\n${lines.join(',\n')}\n}\n`);
  }
  const operations = readPublishedOperations(join(modules.kubernetes, 'api/openapi-spec/v3'));
  const { path, query } = parameterWords(operations);
  // the only parameter that is supported but not published
  const { sinceTime = '' } = swaggerWords(join(modules.api, 'core/v1'), 'PodLogOptions');
  writeWords('parameters.json', `${JSON.stringify({ path, query: { ...query, sinceTime } }, undefined, 1)}\n`);
  const meta = join(modules.apimachinery, 'pkg/apis/meta/v1');
  const { apiVersion, kind } = swaggerWords(meta, 'TypeMeta');
  const { metadata } = swaggerWords(meta, 'PartialObjectMetadata');
  const { metadata: listMetadata } = swaggerWords(meta, 'PartialObjectMetadataList');
  const custom = { object: { apiVersion, kind, metadata }, list: { apiVersion, kind, metadata: listMetadata } };
  writeWords('custom-kinds.json', `${JSON.stringify(custom, undefined, 1)}\n`);
  const from = Object.values(MODULES).map((module) => `- ${module}`);
  writeFileSync(join(root, 'packages/kinds/descriptions/NOTICE.md'), `${NOTICE}\n${from.join('\n')}\n`);
}

/** The published types of the kinds that a group version serves. */
function rootsOf({ group, version, resources }: GroupVersionFacts): string[] {
  return resources.flatMap(({ kind, subresources = {} }) => [
    ...publishedKind(group, version, kind),
    ...Object.values(subresources).flatMap((sub) =>
      sub.kind === undefined ? [] : publishedKind(sub.group ?? group, sub.version ?? version, sub.kind),
    ),
  ]);
}

/** Empty for a kind that is only a set of query options. */
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

/** Empties the folder, and returns a function that writes JSON files into it. */
function intoFolder(folder: string): (file: string, text: string) => void {
  const path = join(root, folder);
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
  return (file, text) => {
    JSON.parse(text);
    writeFileSync(join(path, file), text);
  };
}
