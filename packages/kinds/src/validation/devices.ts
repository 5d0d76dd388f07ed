import { labelProblems } from '../rules/names.ts';
import { evenEmpty, oneOf, present, required, subdomain } from './checks.ts';
import type { Place } from './place.ts';
import type { Check, RuleTable, TypeRules } from './rules.ts';

const request: Check = (place) => {
  const ways = ['exactly', 'firstAvailable'].filter((name) => !place.field(name).isEmpty);
  if (ways.length === 0) place.required('exactly one of `exactly` or `firstAvailable` is required');
  if (ways.length === 2) {
    place.invalid('exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set');
  }
};

const count: Check = (place) => {
  if (Number(place.value) <= 0) place.invalid('must be greater than zero');
};

const asked: TypeRules = {
  deviceClassName: [required(), subdomain],
  allocationMode: oneOf('All', 'ExactCount'),
  count,
};

const opaque: Check = (place) => {
  if (!place.has('opaque')) place.field('opaque').required();
};

const NODES = ['nodeName', 'nodeSelector', 'allNodes', 'perDeviceNodeSelection'];
const NODE_WORDS = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';

const slice: Check = (spec) => {
  const given = NODES.filter((name) => !spec.field(name).isEmpty);
  if (given.length === 0) spec.required(NODE_WORDS);
  if (given.length > 1) spec.invalid(`${NODE_WORDS}, but multiple fields are set`);
  const seen = new Set<string>();
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

const name = evenEmpty(labelProblems);

export const deviceRules: RuleTable = {
  'resource.v1.DeviceRequest': { name, '': request },
  'resource.v1.ExactDeviceRequest': asked,
  'resource.v1.DeviceSubRequest': { name, ...asked },
  'resource.v1.DeviceSelector': { cel: required() },
  'resource.v1.CELDeviceSelector': { expression: required() },
  'resource.v1.DeviceClassConfiguration': { '': opaque },
  'resource.v1.DeviceClaimConfiguration': { '': opaque },
  'resource.v1.OpaqueDeviceConfiguration': { driver: [required(), subdomain], parameters: present },
  'resource.v1.ResourceSliceSpec': { driver: [required(), subdomain], '': slice },
  'resource.v1.ResourcePool': { name: required(), resourceSliceCount: slices },
  'resource.v1.Device': { name },
};
