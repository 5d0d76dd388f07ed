import type { JsonObject } from '@tidegate/schema';
import { labelKeyProblems, subdomainProblems } from '../objects/names.ts';
import { amountOf } from '../rules/amount-checks.ts';
import { always, includingEmpty, label, named, noParentSegments, required } from '../rules/checks.ts';
import { once, type Place } from '../rules/place.ts';
import type { Check, RuleTable } from '../rules/type-rules.ts';

const PRINTABLE = "a valid environment variable name must consist only of printable ASCII characters other than '='";

function variableProblems(name: string): string[] {
  return /^[ -<>-~]+$/.test(name) ? [] : [PRINTABLE];
}

const SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'] as const;
const ONE_SOURCE =
  'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';

const oneSource: Check = (place) => {
  const sources = SOURCES.filter((name) => place.has(name)).length;
  if (sources === 0) place.invalid(ONE_SOURCE, '');
  else if (place.up(1).field('value').text !== '') place.invalid('may not be specified when `value` is not empty', '');
  else if (sources > 1) place.invalid('may not have more than one field specified at a time', '');
};

const oneEnvSource: Check = (place) => {
  const sources = ['configMapRef', 'secretRef'].filter((name) => place.has(name)).length;
  const list = place.up(1);
  if (sources === 0) list.invalid('must specify one of: `configMapRef` or `secretRef`', '');
  if (sources > 1) list.invalid('may not have more than one field specified at a time', '');
};

const FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
const FILE_FIELDS = ['metadata.annotations', 'metadata.labels', 'metadata.name', 'metadata.namespace', 'metadata.uid'];
/** Selectable fields of pods that variables cannot use. */
const SELECTABLE = new Set([
  'spec.restartPolicy',
  'spec.schedulerName',
  'spec.hostNetwork',
  'spec.host',
  'status.phase',
  'status.nominatedNodeName',
]);
const KNOWN_FIELDS = new Set([...FIELDS, ...FILE_FIELDS, ...SELECTABLE]);

const fieldPath: Check = (place) => {
  const reference = place.up(1);
  const version = reference.field('apiVersion').text;
  const convertible = (why: string): void => place.invalid(`error converting fieldPath: ${why}`);
  if (version !== 'v1') return convertible(`unsupported pod version: ${version}`);
  const { path, key } = subscripted(place.text);
  if (key !== undefined) return keyOf(place, path, key);
  if (!KNOWN_FIELDS.has(path)) return convertible(`field label not supported: ${path}`);
  const supported = inFile(reference) ? FILE_FIELDS : FIELDS;
  if (!supported.includes(path)) place.unsupported([...supported].sort());
};

/** `metadata.labels['app']`: a path and a subscript. */
function subscripted(text: string): { path: string; key?: string } {
  const from = text.indexOf("['");
  if (from < 0 || !text.endsWith("']") || from + 4 > text.length) return { path: text };
  return { path: text.slice(0, from), key: text.slice(from + 2, -2) };
}

function inFile(reference: Place): boolean {
  return reference.up(2).step === 'items';
}

/** Checks the subscript: one label or one annotation. */
function keyOf(place: Place, path: string, key: string): void {
  if (path === 'metadata.annotations') place.invalidFor(labelKeyProblems(key.toLowerCase()), place.text);
  else if (path === 'metadata.labels') place.invalidFor(labelKeyProblems(key), place.text);
  else place.invalid('does not support subscript');
}

const RESOURCES = ['cpu', 'ephemeral-storage', 'memory'];
const AMOUNTS = ['limits', 'requests'].flatMap((bound) => RESOURCES.map((name) => `${bound}.${name}`));

const UNITS: Readonly<Record<string, readonly string[]>> = {
  cpu: ['1m', '1'],
  memory: ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'],
};

/** The resources of a container that variables can use, with their units. */
const readable: Check = (reference) => {
  const resource = reference.field('resource');
  const huge = /^(?:limits|requests)\.hugepages-/.test(resource.text);
  if (resource.text === '') return resource.required();
  if (!AMOUNTS.includes(resource.text) && !huge) return resource.unsupported(AMOUNTS);
  const name = resource.text.replace(/^(?:limits|requests)\./, '');
  const divisor = reference.field('divisor');
  const units = UNITS[name] ?? UNITS.memory ?? [];
  if (divisor.value === undefined || amountOf(divisor.value) === 0n) return;
  if (units.some((unit) => amountOf(unit) === amountOf(divisor.value))) return;
  const called = huge ? 'hugepages' : name === 'ephemeral-storage' ? 'local ephemeral storage' : name;
  divisor.invalid(
    `only divisor's values ${units.slice(0, -1).join(', ')}${units.length > 2 ? ',' : ''} and ${units.at(-1)} are supported with the ${called} resource`,
    resource.text,
  );
};

function configKeyProblems(key: string): string[] {
  const problems: string[] = [];
  if (key.length > 253) problems.push('must be no more than 253 characters');
  if (!/^[-._a-zA-Z0-9]+$/.test(key)) problems.push(CONFIG_KEY);
  else if (key === '.' || key === '..') problems.push(`must not be '${key}'`);
  else if (key.startsWith('..')) problems.push("must not start with '..'");
  return problems;
}
const CONFIG_KEY =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

const ofMap = { name: includingEmpty(subdomainProblems), key: [required(), named(configKeyProblems)] };

const volumeNames = once((spec) => new Set<unknown>(spec.field('volumes').list.map((one) => (one as JsonObject).name)));

const volumeOfFile: Check = always((place) => {
  if (place.text === '' || !volumeNames(specOf(place)).has(place.text)) place.addError(() => notFound(place));
});

function notFound(place: Place) {
  return {
    field: place.path,
    type: 'FieldValueNotFound',
    message: `Not found: ${JSON.stringify(place.text)}`,
  } as const;
}

function specOf(place: Place): Place {
  let above = place;
  while (above.holder !== undefined && above.step !== 'spec') above = above.up(1);
  return above;
}

export const environmentChecks: RuleTable = {
  'core.v1.EnvVar': { name: [required(), includingEmpty(variableProblems)] },
  'core.v1.EnvVarSource': { '': oneSource },
  'core.v1.EnvFromSource': {
    prefix: (place) => {
      if (place.text !== '') place.invalidFor(variableProblems(place.text));
    },
    '': oneEnvSource,
  },
  'core.v1.ConfigMapKeySelector': ofMap,
  'core.v1.SecretKeySelector': ofMap,
  'core.v1.ConfigMapEnvSource': { name: [required(), named(subdomainProblems)] },
  'core.v1.SecretEnvSource': { name: [required(), named(subdomainProblems)] },
  'core.v1.FileKeySelector': {
    key: [required(), named(variableProblems)],
    path: [required(), noParentSegments],
    volumeName: [required(), label],
    '': (place) => void volumeOfFile(place.field('volumeName')),
  },
  'core.v1.ObjectFieldSelector': { apiVersion: required(), fieldPath: [required(), fieldPath] },
  'core.v1.ResourceFieldSelector': { '': readable },
};
