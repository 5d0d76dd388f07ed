const EXPRESSIONS = 'expressions are compiled at their first use, not when they are written';
const STORED = 'the field of an event has the name of the core group, in which events are stored';
const PARTLY = 'a reference without one of its parts is reported as changed, not as missing';
const ADDRESSES = 'the gateway allocates and checks addresses and ports';

/** Cases of the corpus for which kube-apiserver responds differently, and the reason. */
export const KNOWN_DIFFERENCES: Readonly<Record<string, string>> = {
  'resource.k8s.io/deviceclasses: a selector that does not compile': EXPRESSIONS,
  'events.k8s.io/events: no controller': STORED,
  'events.k8s.io/events: series is {} (4)': STORED,
  'events.k8s.io/events: a bad controller': STORED,
  'networking.k8s.io/ipaddresses: then without spec.parentRef.name': PARTLY,
  'networking.k8s.io/ipaddresses: then without spec.parentRef.resource': PARTLY,
  'core/services: an address of others': ADDRESSES,
  'core/services: another address': ADDRESSES,
  'core/services: a node port out of range': ADDRESSES,
};
