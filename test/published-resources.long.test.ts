import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { until } from '@tidegate/testkit';
import { loadAll } from 'js-yaml';
import type { Client } from './support/client.ts';
import { goModule } from './support/go-module.ts';
import { type RunningSystem, runningSystem } from './support/running-system.ts';

interface Project {
  readonly module: string;
  /** the files with definitions */
  readonly definitions: string;
  /** the files with valid objects of these kinds */
  readonly examples: string;
  /** the minimum number of examples */
  readonly least: number;
}

/** Published projects. Examples of other kinds and templates of tools are skipped. */
const PROJECTS: Readonly<Record<string, Project>> = {
  'Argo Events': {
    module: 'github.com/argoproj/argo-events@v1.9.6',
    definitions: 'manifests/base/crds/argoproj*.yaml',
    examples: 'examples/**/*.yaml',
    least: 80,
  },
  'Argo Rollouts': {
    module: 'github.com/argoproj/argo-rollouts@v1.8.3',
    definitions: 'manifests/crds/*-crd.yaml',
    examples: 'examples/*.yaml',
    least: 15,
  },
  'Argo Workflows': {
    module: 'github.com/argoproj/argo-workflows/v3@v3.7.0',
    definitions: 'manifests/base/crds/full/argoproj*.yaml',
    examples: 'examples/**/*.yaml',
    least: 180,
  },
  'cert-manager': {
    module: 'github.com/cert-manager/cert-manager@v1.21.2',
    definitions: 'deploy/crds/*.yaml',
    examples: '{test/fixtures,make/config}/**/*.yaml',
    least: 3,
  },
  'Cluster API': {
    module: 'sigs.k8s.io/cluster-api@v1.14.2',
    definitions: '**/config/crd/bases/*.yaml',
    examples: 'test/**/{extension,cluster-template,clusterclass}*.yaml',
    least: 0,
  },
  Crossplane: {
    module: 'github.com/crossplane/crossplane/v2@v2.0.2',
    definitions: 'cluster/crds/*.yaml',
    examples: 'test/e2e/manifests/apiextensions/composition/basic-*/setup/*.yaml',
    least: 4,
  },
  'Gateway API': {
    module: 'sigs.k8s.io/gateway-api@v1.4.0',
    definitions: 'config/crd/experimental/*.yaml',
    examples: 'examples/{standard,experimental}/**/*.yaml',
    least: 50,
  },
  Istio: {
    module: 'istio.io/api@v1.31.1',
    definitions: 'kubernetes/customresourcedefinitions.gen.yaml',
    examples: 'none',
    least: 0,
  },
  Kyverno: {
    module: 'github.com/kyverno/kyverno@v1.19.1',
    definitions: 'config/crds/**/*.yaml',
    examples: 'test/best_practices/*.yaml',
    least: 10,
  },
  'Prometheus operator': {
    module: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    definitions: 'example/prometheus-operator-crd/*.yaml',
    examples:
      'example/{additional-scrape-configs,rbac,thanos,user-guides/alerting,user-guides/getting-started}/**/*.yaml',
    least: 12,
  },
};

/** Examples that their own definitions reject, with the same message as in kube-apiserver. */
const INVALID_EXAMPLES = new Set(['memoized-', 'github-path-filter']);

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const NAMESPACE = 'published';
const APPLY = { 'Content-Type': 'application/apply-patch+yaml' };
const TABLE = { Accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };

// biome-ignore lint/suspicious/noExplicitAny: manifests of any kind
type Manifest = any;

describe('Published custom resources', () => {
  let system: RunningSystem;
  let client: Client;
  before(async () => {
    system = await runningSystem();
    client = system.client;
    await client.request('POST', '/api/v1/namespaces', { body: { metadata: { name: NAMESPACE } } });
  });
  after(() => system?.stop());

  for (const [name, project] of Object.entries(PROJECTS)) {
    describe(name, () => {
      let definitions: Manifest[];
      let examples: Array<{ url: string; object: Manifest }>;
      before(() => {
        const dir = goModule(project.module);
        definitions = manifests(dir, project.definitions).filter(({ kind }) => kind === 'CustomResourceDefinition');
        examples = placed(definitions, manifests(dir, project.examples));
      });

      test('The definitions are accepted and served at once.', async () => {
        assert.ok(definitions.length > 0);
        for (const one of definitions) {
          const { code, text } = await apply(`${DEFINITIONS}/${one.metadata.name}`, one);
          assert.equal(code, 201, text);
        }
        for (const { metadata, spec } of definitions) {
          await until(`${metadata.name} to be established`, async () => {
            const { status } = (await client.get(`${DEFINITIONS}/${metadata.name}`)).json;
            return status?.conditions?.some((one: Manifest) => one.type === 'Established' && one.status === 'True');
          });
          for (const { name: version } of spec.versions.filter(({ served }: Manifest) => served)) {
            const path = `/apis/${spec.group}/${version}/${spec.names.plural}`;
            const { code, json } = await client.get(path, TABLE);
            assert.deepEqual([path, code, json.kind], [path, 200, 'Table']);
          }
        }
      });

      test('OpenAPI contains every field of the schemas.', async () => {
        const { paths } = (await client.get('/openapi/v3')).json;
        for (const { spec } of definitions) {
          const [version] = spec.versions.filter(({ served }: Manifest) => served);
          const { serverRelativeURL } = paths[`apis/${spec.group}/${version.name}`];
          const { schemas } = (await client.get(serverRelativeURL)).json.components;
          const type = schemas[[...spec.group.split('.').reverse(), version.name, spec.names.kind].join('.')];
          const wanted = Object.keys(version.schema.openAPIV3Schema.properties ?? {});
          for (const field of wanted) assert.ok(type.properties[field] !== undefined, `${spec.names.kind}.${field}`);
        }
      });

      test('The examples can be created, shown, changed and applied without warnings about unknown fields.', async () => {
        assert.ok(examples.length >= project.least, `${examples.length} examples`);
        for (const { url, object } of examples) {
          const made = await apply(url, object, '&fieldValidation=Strict');
          assert.equal(made.code, 201, `${url}: ${made.text}`);
          const again = await apply(url, object, '&fieldValidation=Strict');
          const { resourceVersion } = made.json.metadata;
          assert.deepEqual([again.code, again.json.metadata.resourceVersion], [200, resourceVersion], again.text);
          const table = (await client.get(url, TABLE)).json;
          assert.deepEqual([table.kind, table.rows?.length], ['Table', 1]);
          const body = { metadata: { labels: { seen: 'yes' } } };
          const headers = { 'Content-Type': 'application/merge-patch+json' };
          const { code, json, text } = await client.request('PATCH', url, { body, headers });
          assert.equal(code, 200, text);
          assert.deepEqual(json.spec, made.json.spec);
        }
      });

      test('The objects are deleted with their definitions.', async () => {
        for (const { metadata } of definitions) await client.request('DELETE', `${DEFINITIONS}/${metadata.name}`);
        for (const { metadata } of definitions) {
          const url = `${DEFINITIONS}/${metadata.name}`;
          await until(`${metadata.name} to be gone`, async () => (await client.get(url)).code === 404);
        }
        for (const { url } of examples) assert.equal((await client.get(url)).code, 404);
      });
    });
  }

  function apply(url: string, body: Manifest, more = '') {
    return client.request('PATCH', `${url}?fieldManager=published${more}`, { body, headers: APPLY });
  }
});

function manifests(dir: string, pattern: string): Manifest[] {
  return globSync(pattern, { cwd: dir })
    .sort()
    .flatMap((file): Manifest[] => {
      try {
        return loadAll(readFileSync(join(dir, file), 'utf8')) as Manifest[];
      } catch {
        // a template of a tool
        return [];
      }
    })
    .filter((one) => typeof one === 'object' && one?.metadata !== undefined);
}

/** The objects of the defined kinds with their URLs; of several objects with one name only the first. */
function placed(
  definitions: readonly Manifest[],
  objects: readonly Manifest[],
): Array<{ url: string; object: Manifest }> {
  const found = new Map<string, { url: string; object: Manifest }>();
  for (const [i, object] of objects.entries()) {
    const [group, version] = String(object.apiVersion).split('/');
    const definition = definitions.find(({ spec }) => spec.group === group && spec.names.kind === object.kind);
    if (definition === undefined || /[$<{]/.test(object.metadata.name ?? '')) continue;
    const { scope, names } = definition.spec;
    const { generateName = 'example', name = `${generateName}${i}` } = object.metadata;
    const { generateName: _generateName, ...metadata } = { ...object.metadata, name };
    const isNamespaced = scope === 'Namespaced';
    if (isNamespaced) metadata.namespace = NAMESPACE;
    const place = isNamespaced ? `/namespaces/${NAMESPACE}` : '';
    const key = `${group}/${names.plural}/${name}`;
    const url = `/apis/${group}/${version}${place}/${names.plural}/${name}`;
    if (!found.has(key) && !INVALID_EXAMPLES.has(object.metadata.generateName ?? name))
      found.set(key, { url, object: { ...object, metadata } });
  }
  return [...found.values()];
}
