/**
 * A definition of a custom kind with edge cases in its schema: empty lists, maps and strings, and keywords that are
 * false.
 */
export function oddDefinition(group: string): object {
  const text = { type: 'string' };
  const spec = {
    type: 'object',
    description: '',
    title: '',
    required: [],
    properties: {
      empty: { type: 'object', properties: {} },
      words: { ...text, description: 'What it is called.', nullable: false, enum: ['', 'a'], default: '' },
      number: { type: 'integer', exclusiveMinimum: false, minimum: 0, default: 0 },
      list: { type: 'array', items: { ...text, description: '' }, maxItems: 9, default: [] },
      map: { type: 'object', additionalProperties: { type: 'object', properties: {} }, default: {} },
      open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: {} },
      port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
      choice: { type: 'object', properties: { a: text, b: text }, oneOf: [{ required: ['a'] }, { required: ['b'] }] },
      either: { ...text, allOf: [], anyOf: [{ minLength: 0 }, { pattern: '' }], not: { pattern: 'x' } },
      fixed: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    },
  };
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
    subresources: { status: {}, scale: { specReplicasPath: '.spec.number', statusReplicasPath: '.status.number' } },
    selectableFields: [{ jsonPath: '.spec.words' }],
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `oddities.${group}` },
    spec: { group, scope: 'Cluster', names: { plural: 'oddities', kind: 'Oddity' }, versions: [version] },
  };
}
