import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFeatureGates } from '@tidegate/feature-gates';
import { Negotiator } from './negotiate.ts';

const negotiator = new Negotiator(readFeatureGates(''));
const TABLE = 'application/json;as=Table';

test('Tables and metadata have the version that was requested', () => {
  for (const [parameters, metaVersion] of [
    ['g=meta.k8s.io;v=v1', 'meta.k8s.io/v1'],
    ['v=v1beta1;g=meta.k8s.io', 'meta.k8s.io/v1beta1'],
    ['g=meta.cluster.io;v=v1', 'meta.cluster.io/v1'],
  ] as const) {
    const found = negotiator.negotiate(`${TABLE};${parameters}`);
    assert.deepEqual([found.as, found.metaVersion], ['table', metaVersion]);
  }
  for (const parameters of ['g=meta.cluster.io;v=v1beta1', 'g=meta.k8s.io;v=v2', 'g=meta.k8s.io', 'v=v1', '']) {
    assert.throws(() => negotiator.negotiate(`${TABLE};${parameters}`), { code: 406 });
  }
});

test('a review has no Table: the next acceptable form is chosen', () => {
  const accept = `${TABLE};g=meta.k8s.io;v=v1`;
  assert.throws(() => negotiator.negotiate(accept, { isReview: true }), { code: 406 });
  assert.equal(negotiator.negotiate(`${accept}, application/yaml`, { isReview: true }).mediaType, 'application/yaml');
  assert.equal(
    negotiator.negotiate(accept.replace('Table', 'PartialObjectMetadata'), { isReview: true }).as,
    'metadata',
  );
});

test('whole objects of custom kinds have no Protobuf, but their metadata does', () => {
  const protobuf = 'application/vnd.kubernetes.protobuf';
  assert.throws(() => negotiator.negotiate(protobuf, { isCustom: true }), { code: 406 });
  assert.equal(
    negotiator.negotiate(`${protobuf}, application/json;q=0.1`, { isCustom: true }).mediaType,
    'application/json',
  );
  const metadata = `${protobuf};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`;
  assert.equal(negotiator.negotiate(metadata, { isCustom: true }).mediaType, protobuf);
});

test('a log can be requested as plain text, but not as another text type', () => {
  assert.equal(negotiator.negotiate('text/plain', { isText: true }).mediaType, 'application/json');
  assert.equal(negotiator.negotiate('application/yaml', { isText: true }).mediaType, 'application/yaml');
  assert.throws(() => negotiator.negotiate('text/css', { isText: true }), { code: 406 });
  assert.throws(() => negotiator.negotiate('text/plain'), { code: 406 });
});

test('a watch in CBOR can be requested by its stream media type, where CBOR is served', () => {
  const withCbor = new Negotiator(readFeatureGates('CBORServingAndStorage=true'));
  assert.equal(withCbor.negotiate('application/cbor-seq').mediaType, 'application/cbor');
  assert.throws(() => negotiator.negotiate('application/cbor-seq'), { code: 406 });
});
