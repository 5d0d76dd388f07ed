import { labelProblems, subdomainProblems } from '../objects/names.ts';
import { always, driverName, includingEmpty, oneOf, present, required, subdomain } from '../rules/checks.ts';
import type { Place } from '../rules/place.ts';
import type { Check, RuleTable, TypeRules } from '../rules/type-rules.ts';

const request: Check = (place) => {
  const ways = ['exactly', 'firstAvailable'].filter((name) => !place.field(name).isEmpty);
  if (ways.length === 0) place.required('exactly one of `exactly` or `firstAvailable` is required');
  if (ways.length === 2) {
    place.invalid('exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set');
  }
};

const count: Check = (place) => {
  const mode = place.up(1).object.allocationMode;
  if (mode === 'All' && Number(place.value) !== 0) {
    place.invalid("must not be specified when allocationMode is 'All'");
  } else if (mode === 'ExactCount' && Number(place.value) <= 0) place.invalid('must be greater than zero');
};

/** A request with both `exactly` and `firstAvailable` is one error; neither is checked. */
const onlyOne: Check = ({ holder }) => !(holder?.has('exactly') && holder.has('firstAvailable'));

const MAX_ITEMS = 32;

/** Checks that requests have different names, and that constraints and configurations name existing requests. */
const claim: Check = (devices) => {
  const requests = devices.field('requests');
  requests.atMost(MAX_ITEMS);
  if (requests.list.length > MAX_ITEMS) return;
  const seen = new Set<string>();
  const known = new Set<string>();
  for (const one of requests.items()) {
    const name = one.field('name').text;
    if (seen.has(name)) one.duplicate(name);
    seen.add(name);
    known.add(name);
    for (const other of one.field('firstAvailable').items()) known.add(`${name}/${other.field('name').text}`);
  }
  for (const list of ['constraints', 'config']) {
    devices.field(list).atMost(MAX_ITEMS);
    for (const one of devices.field(list).items()) namesOf(one.field('requests'), known);
  }
};

const UNKNOWN = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

function namesOf(list: Place, known: ReadonlySet<string>): void {
  const seen = new Set<string>();
  for (const one of list.items()) {
    if (seen.has(one.text)) one.duplicate();
    seen.add(one.text);
    const parts = one.text.split('/');
    if (parts.length <= 2) for (const part of parts) one.invalidFor(labelProblems(part), part);
    if (!known.has(one.text)) one.invalid(UNKNOWN);
  }
}

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;
const IDENTIFIER_PROBLEM =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";

/** Checks the name of a device attribute, with its domain. */
const attribute: Check = always((place) => {
  if (place.value === undefined) {
    place.required();
    return;
  }
  const parts = place.text.split('/');
  const [domain = '', name = domain] = parts;
  if (parts.length > 2) return;
  if (parts.length === 1) place.invalid('a fully qualified name must be a domain and a name separated by a slash');
  else {
    if (domain.length > 63) place.tooLong('may not be more than 63 bytes');
    place.invalidFor(subdomainProblems(domain), domain);
  }
  if (name.length > 32) place.tooLong('may not be more than 32 bytes');
  if (!IDENTIFIER.test(name)) place.invalid(IDENTIFIER_PROBLEM, name);
});

/** Checks the name of a pool: segments separated by slashes. */
const poolName: Check = (place) => {
  if (place.text.length > 253) place.tooLong('may not be more than 253 bytes');
  for (const part of place.text.split('/')) place.invalidFor(subdomainProblems(part), part);
};

const generation: Check = (place) => {
  if (Number(place.value) < 0) place.invalid('must be greater than or equal to zero');
};

const requestRules: TypeRules = {
  deviceClassName: [required(), subdomain],
  allocationMode: oneOf('All', 'ExactCount'),
  count,
};

const opaque: Check = (place) => {
  if (!place.has('opaque')) place.field('opaque').required();
};

const NODES = ['nodeName', 'nodeSelector', 'allNodes', 'perDeviceNodeSelection'];
const NODE_REQUIRED = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';

const slice: Check = (spec) => {
  const given = NODES.filter((name) => spec.has(name) && spec.object[name] !== '' && spec.object[name] !== false);
  if (given.length === 0) spec.required(NODE_REQUIRED);
  if (given.length > 1) {
    const named = `{${given.map((name) => `\`${name}\``).join(', ')}}`;
    spec.invalid(`${NODE_REQUIRED}, but multiple fields are set`, named);
  }
  const seen = new Set<string>();
  const [node, selector, all] = [spec.field('nodeName'), spec.field('nodeSelector'), spec.field('allNodes')];
  if (node.value === '') node.invalid('must be either unset or set to a non-empty string');
  else if (node.value !== undefined) node.invalidFor(subdomainProblems(node.text));
  if (all.value === false) all.invalid('must be either unset or set to true');
  const terms = selector.field('nodeSelectorTerms');
  if (selector.value !== undefined && terms.list.length !== 1) {
    terms.invalid('must have exactly one node selector term', terms.value ?? null);
  }
  for (const device of spec.field('devices').items()) {
    const name = device.field('name').text;
    if (seen.has(name)) device.duplicate(name);
    seen.add(name);
  }
};

const slices: Check = Object.assign(
  (place: Place) => {
    if (Number(place.value ?? 0) <= 0) place.invalid('must be greater than zero', place.value ?? 0);
  },
  { always: true },
);

const name = includingEmpty(labelProblems);

export const deviceChecks: RuleTable = {
  'resource.v1.DeviceRequest': { name, exactly: onlyOne, firstAvailable: onlyOne, '': request },
  'resource.v1.ExactDeviceRequest': requestRules,
  'resource.v1.DeviceSubRequest': { name, ...requestRules },
  'resource.v1.DeviceClaim': { '': claim },
  'resource.v1.DeviceConstraint': { matchAttribute: attribute },
  'resource.v1.DeviceClassSpec': {
    selectors: (list) => list.atMost(MAX_ITEMS),
    config: (list) => list.atMost(MAX_ITEMS),
  },
  'resource.v1.DeviceSelector': { cel: required() },
  'resource.v1.CELDeviceSelector': { expression: required() },
  'resource.v1.DeviceClassConfiguration': { '': opaque },
  'resource.v1.DeviceClaimConfiguration': { '': opaque },
  'resource.v1.OpaqueDeviceConfiguration': { driver: [required(), driverName], parameters: present },
  'resource.v1.ResourceSliceSpec': { driver: [required(), driverName], '': slice },
  'resource.v1.ResourcePool': { name: [required(), poolName], generation, resourceSliceCount: slices },
  'resource.v1.Device': { name },
};
