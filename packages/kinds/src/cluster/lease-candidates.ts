import { compareVersions } from '@tidegate/cel';
import type { KindRules } from '../kind-entry.ts';
import { labelKeyProblems } from '../objects/names.ts';
import { cellAt } from '../rules/cells.ts';
import { always, required } from '../rules/checks.ts';
import { ageColumn, column, nameColumn } from '../rules/columns.ts';
import type { Check, TypeRules } from '../rules/type-rules.ts';

const OLDEST = 'OldestEmulationVersion';
const LOWEST_VERSION = '0.0.0';

export const candidates: KindRules = {
  name: 'config-key',
  conditionalUpdate: true,
  createsOnUpdate: true,
};

export const candidateColumns = [
  nameColumn,
  column('LeaseName', 'Name of the lease', cellAt('spec.leaseName')),
  column('BinaryVersion', 'Version of the program', cellAt('spec.binaryVersion')),
  column('EmulationVersion', 'Version that the program emulates', cellAt('spec.emulationVersion')),
  ageColumn,
];

const isVersion = (text: string) => compareVersions(text, text) !== undefined;
const valid = (text: string) => (isVersion(text) ? text : LOWEST_VERSION);

const version: Check = (place) => {
  if (place.text !== '' && !isVersion(place.text)) place.invalid('must be a valid semantic version');
};

/** As in kube-apiserver, a text that is not a version counts as the lowest one. */
const notBelowEmulation: Check = (spec) => {
  const binary = spec.field('binaryVersion');
  const emulation = spec.field('emulationVersion');
  if (binary.text === '' || emulation.text === '') return;
  if ((compareVersions(valid(binary.text), valid(emulation.text)) ?? 0) < 0)
    binary.invalid('must be greater than or equal to `emulationVersion`');
};

const strategy: Check = always((place) => {
  const { text } = place;
  if (text === '') return place.required('');
  const emulated = place.up(1).field('emulationVersion');
  if (text === OLDEST && (compareVersions(emulated.text, LOWEST_VERSION) ?? 0) === 0)
    emulated.required("must be specified when `strategy` is 'OldestEmulationVersion'");
  // kube-apiserver names the field twice
  const named = place.as('strategy', text);
  if (text.includes('/')) named.invalidFor(labelKeyProblems(text));
  else if (text !== OLDEST) named.unsupported([OLDEST]);
});

export const candidateSpec: TypeRules = {
  leaseName: required(),
  emulationVersion: version,
  binaryVersion: [required(), version],
  strategy,
  '': notBelowEmulation,
};
