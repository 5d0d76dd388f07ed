import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@tidegate/schema';
import { openApiDocuments } from '../testing/open-api-documents.ts';

const EXTENSIONS = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1';
const NAMELESS = `additionalItems additionalProperties allOf anyOf definitions dependencies description enum example
  exclusiveMaximum exclusiveMinimum externalDocs id items maxItems maxLength maxProperties maximum minItems minLength
  minProperties minimum multipleOf not nullable oneOf pattern patternProperties properties required title type
  uniqueItems $ref $schema`.split(/\s+/);

/** What has no description on a kube-apiserver 1.35 either. */
const UNDESCRIBED = new Set([
  'io.k8s.api.networking.v1.IngressRule.http',
  'io.k8s.api.certificates.v1.CertificateSigningRequest.metadata',
  'io.k8s.api.certificates.v1.CertificateSigningRequestList.metadata',
  `${EXTENSIONS}.ExternalDocumentation.description`,
  `${EXTENSIONS}.ExternalDocumentation.url`,
  ...NAMELESS.map((name) => `${EXTENSIONS}.JSONSchemaProps.${name}`),
  'the parameter body',
]);

/** What the definition of the custom kind does not describe, nobody can. */
const OF_DEFINITION = new Set(['com.example.odd.v1.Oddity', 'com.example.odd.v1.Oddity.spec']);

interface Described {
  readonly name: string;
  readonly description: unknown;
}

function definitionsIn({ definitions, components }: JsonObject): Described[] {
  const types = (definitions ?? (components as JsonObject).schemas) as Record<string, JsonObject>;
  return Object.entries(types).flatMap(([name, type]) => [
    { name, description: type.description },
    ...Object.entries((type.properties ?? {}) as Record<string, JsonObject>).map(([field, { description }]) => ({
      name: `${name}.${field}`,
      description,
    })),
  ]);
}

function operationsIn({ paths }: JsonObject): Described[] {
  return Object.entries(paths as Record<string, JsonObject>).flatMap(([path, { parameters = [], ...operations }]) => [
    ...parametersOf(path, parameters as JsonObject[]),
    ...Object.entries(operations as Record<string, JsonObject>).flatMap(([method, operation]) => {
      const name = `${method} ${path}`;
      const own = (operation.parameters ?? []) as JsonObject[];
      const responses = Object.entries(operation.responses as Record<string, JsonObject>);
      return [
        { name, description: operation.description },
        ...parametersOf(name, own),
        ...responses.map(([code, { description }]) => ({ name: `${name} ${code}`, description })),
      ];
    }),
  ]);
}

function parametersOf(place: string, parameters: readonly JsonObject[]): Described[] {
  return parameters.map(({ name, description }) => ({
    name: name === 'body' ? 'the parameter body' : `${place} ?${String(name)}`,
    description,
  }));
}

test('every definition, field, operation and parameter is described, but for those that Kubernetes does not describe', async () => {
  const without = new Set<string>();
  const withOne = new Set<string>();
  let count = 0;
  for (const document of (await openApiDocuments()).values()) {
    for (const { name, description } of [...definitionsIn(document), ...operationsIn(document)]) {
      count++;
      if (typeof description === 'string' && description !== '') withOne.add(name);
      else if (!OF_DEFINITION.has(name)) without.add(name);
    }
  }
  assert.ok(count > 20_000, `${count}`);
  assert.deepEqual([...without].filter((name) => !UNDESCRIBED.has(name)).slice(0, 40), []);
  // a line whose reason is gone has to go as well
  assert.deepEqual(
    [...UNDESCRIBED].filter((name) => withOne.has(name) || !without.has(name)),
    [],
  );
});

test('a custom kind is described by its definition, and by what all objects have', async () => {
  const documents = await openApiDocuments();
  const document = documents.get('/openapi/v3/apis/odd.example.com/v1') ?? {};
  const said = new Map(definitionsIn(document).map(({ name, description }) => [name, String(description)]));
  const list = 'com.example.odd.v1.OddityList';
  assert.equal(said.get(list), 'OddityList is a list of Oddity');
  assert.match(said.get(`${list}.items`) ?? '', /^List of oddities\. More info: https:/);
  const object = 'com.example.odd.v1.Oddity';
  assert.match(said.get(`${object}.metadata`) ?? '', /^Standard object's metadata\. More info: https:/);
  assert.match(said.get(`${object}.apiVersion`) ?? '', /^APIVersion defines the versioned schema/);
  const own = JSON.stringify((document.components as Record<string, JsonObject>).schemas?.[object]);
  assert.match(own, /"words":\{"type":"string","description":"What it is called\."/);
  // of an object in the object the same is said
  assert.equal(own.match(/Kind is a string value representing the REST resource/g)?.length, 2);
});
