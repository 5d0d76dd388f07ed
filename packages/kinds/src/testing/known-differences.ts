const EXPRESSIONS = 'expressions are read when they are used, and not compiled when they are written';
const STORED = 'a field of an event is called as in the core group, in which events are stored';
const PARTLY = 'a reference that lacks one of its parts is told as changed, not as missing';
const ADDRESSES = 'addresses and ports are allotted, and judged, by the gateway';

/** Cases of the corpus with another answer than that of kube-apiserver, and the reason. */
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
