const EXPRESSIONS = 'expressions are read when they are used, and not compiled when they are written';
const STORED = 'a field of an event is called as in the core group, in which events are stored';
const ADDRESSES = 'addresses and ports are allotted, and judged, by the gateway';
const RULES = 'what a rule in CEL lacks is 422 as there, not 400 as any other field that is required';
const VALIDATIONS =
  'apiextensions.k8s.io/customresourcedefinitions: spec.versions[0].schema.openAPIV3Schema.x-kubernetes-validations is [{}]';

/** Where this project judges a case of the corpus otherwise than kube-apiserver, and why. */
export const KNOWN_DIFFERENCES: Readonly<Record<string, string>> = {
  'resource.k8s.io/deviceclasses: a selector that does not compile': EXPRESSIONS,
  [`${VALIDATIONS} (2)`]: RULES,
  [`${VALIDATIONS} (3)`]: RULES,
  'events.k8s.io/events: no controller': STORED,
  'events.k8s.io/events: a bad controller': STORED,
  'core/services: an address of others': ADDRESSES,
  'core/services: another address': ADDRESSES,
  'core/services: a node port out of range': ADDRESSES,
};
