// biome-ignore lint/suspicious/noExplicitAny: reviews can be of any kind
type Any = any;

/**
 * The response of the test conversion webhook to a review. Objects have `spec.address` and `spec.size` in v2 and later,
 * and `spec.host` and `spec.port` in v1; other fields stay unchanged. The annotation `convert` of an object selects a
 * fault.
 */
export function conversionResponse(review: Any): Any {
  const { uid, desiredAPIVersion, objects } = review.request;
  const fault: string = objects.map(faultOf).find((one: string | undefined) => one !== undefined) ?? '';
  const converted = (object: Any) => (OBJECTS[faultOf(object) ?? ''] ?? same)(inVersion(object, desiredAPIVersion));
  const response = { uid, result: { status: 'Success' }, convertedObjects: objects.map(converted) };
  const answer = { apiVersion: review.apiVersion, kind: 'ConversionReview', response };
  return (ANSWERS[fault] ?? same)(answer);
}

function same<T>(value: T): T {
  return value;
}

function faultOf({ metadata }: Any): string | undefined {
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

/** The faults that change each object, by the value of the annotation. */
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

/** The faults that change the whole response. A string is sent unchanged; undefined: no response. */
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
