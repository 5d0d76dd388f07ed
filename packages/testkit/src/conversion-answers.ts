// biome-ignore lint/suspicious/noExplicitAny: reviews of any kind are looked into
type Any = any;

/**
 * What a converter of tests says to a review. Its objects have `spec.address` and `spec.size` in v2 and later, where v1
 * has `spec.host` and `spec.port`; all else stays as it is. An object's annotation `convert` makes it misbehave.
 */
export function conversionAnswer(review: Any): Any {
  const { uid, desiredAPIVersion, objects } = review.request;
  const wish: string = objects.map(wishOf).find((one: string | undefined) => one !== undefined) ?? '';
  const converted = (object: Any) => (OBJECTS[wishOf(object) ?? ''] ?? same)(inVersion(object, desiredAPIVersion));
  const response = { uid, result: { status: 'Success' }, convertedObjects: objects.map(converted) };
  const answer = { apiVersion: review.apiVersion, kind: 'ConversionReview', response };
  return (ANSWERS[wish] ?? same)(answer);
}

function same<T>(value: T): T {
  return value;
}

function wishOf({ metadata }: Any): string | undefined {
  return metadata?.annotations?.convert;
}

function inVersion(object: Any, apiVersion: string): Any {
  if (object.spec === undefined) return { ...object, apiVersion };
  const { address, size, host, port, ...rest } = object.spec;
  if (apiVersion.endsWith('/v1')) {
    const [name, number] = address?.split(':') ?? [];
    return { ...object, apiVersion, spec: { ...rest, host: name, port: number && Number(number) } };
  }
  return { ...object, apiVersion, spec: { ...rest, address: host && `${host}:${port ?? 0}` } };
}

function withMeta(change: (metadata: Any) => Any): (object: Any) => Any {
  return (object) => ({ ...object, metadata: change(object.metadata) });
}

/** What one wish makes of each object. */
const OBJECTS: Readonly<Record<string, (object: Any) => Any>> = {
  'another-version': (object) => ({ ...object, apiVersion: 'example.com/v9' }),
  'another-kind': (object) => ({ ...object, kind: 'Other' }),
  'another-name': withMeta((metadata) => ({ ...metadata, name: 'other' })),
  'another-namespace': withMeta((metadata) => ({ ...metadata, namespace: 'other' })),
  'another-uid': withMeta((metadata) => ({ ...metadata, uid: 'other' })),
  'no-metadata': ({ metadata: _, ...object }) => object,
  'metadata-text': (object) => ({ ...object, metadata: 'text' }),
  'labels-list': withMeta((metadata) => ({ ...metadata, labels: [] })),
  'label-number': withMeta((metadata) => ({ ...metadata, labels: { a: 1 } })),
  'label-wrong': withMeta((metadata) => ({ ...metadata, labels: { 'a b': 'c' } })),
  'annotation-wrong': withMeta((metadata) => ({ ...metadata, annotations: { 'a b': 'c' } })),
  relabel: withMeta((metadata) => ({ ...metadata, labels: { ...metadata.labels, converted: 'yes' } })),
  meddle: withMeta((metadata) => ({ ...metadata, finalizers: ['a.b/c'], creationTimestamp: null, generation: 99 })),
  surplus: (object) => ({ ...object, other: 1, spec: { ...object.spec, unknown: 1 } }),
  'no-object': () => 'text',
};

function responding(change: (response: Any) => Any): (answer: Any) => Any {
  return (answer) => ({ ...answer, response: change(answer.response) });
}

/** What another makes of the whole answer. A text is sent as it is; undefined: it never answers. */
const ANSWERS: Readonly<Record<string, (answer: Any) => Any>> = {
  fail: responding(({ uid }) => ({ uid, result: { status: 'Failure', message: 'no way' } })),
  'fail-without-words': responding(({ uid }) => ({ uid, result: { status: 'Failure' } })),
  'no-result': responding(({ result: _, ...response }) => response),
  'too-few': responding((response) => ({ ...response, convertedObjects: [] })),
  'too-many': responding(({ convertedObjects: [one], ...response }) => ({ ...response, convertedObjects: [one, one] })),
  'another-review-uid': responding((response) => ({ ...response, uid: 'other' })),
  'another-review': (answer) => ({ ...answer, apiVersion: 'apiextensions.k8s.io/v9' }),
  'no-response': ({ response: _, ...answer }) => answer,
  'no-json': () => '<html>',
  silence: () => undefined,
};
