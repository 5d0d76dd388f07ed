import type { Ask, Outcome, State } from '../history/history.ts';

/**
 * What the API promises of one object, as a machine of one step an operation.
 *
 *   absent --create v--> present at v --update expecting v / patch--> present at w > v --delete--> absent
 *
 * `floor` is the highest version that the object is known to have had: a later change has a higher one, also after a
 * deletion. A write whose outcome is unknown leaves a version that is unknown (undefined) until somebody reads it.
 */
export interface Register {
  readonly present: boolean;
  readonly floor: number;
  readonly version: number | undefined;
  readonly uid: string | undefined;
  readonly base: string;
  readonly patch: string;
  readonly colour: string;
}

export const EMPTY: Register = {
  present: false,
  floor: 0,
  version: undefined,
  uid: undefined,
  base: '',
  patch: '',
  colour: '',
};

export interface Step {
  readonly ask: Ask;
  readonly outcome: Outcome;
  /** of an unknown outcome: the state that it made, when anybody saw it */
  readonly seen: State | undefined;
}

/** The register after an operation; undefined when it cannot have happened here with this outcome. */
export function step(register: Register, { ask, outcome, seen }: Step): Register | undefined {
  switch (outcome.kind) {
    case 'state':
      return ask.kind === 'get' ? observed(register, outcome.state) : written(register, ask, outcome.state);
    case 'deleted':
      return register.present && agrees(register.uid, outcome.uid) ? removed(register) : undefined;
    case 'absent':
      return register.present || ask.kind === 'create' ? undefined : register;
    case 'exists':
      return register.present ? register : undefined;
    case 'conflict':
      return register.present && ask.kind === 'update' && register.version !== ask.expected ? register : undefined;
    case 'refused':
      return register;
    case 'unknown':
      return ask.kind === 'delete' && register.present ? removed(register) : written(register, ask, seen);
  }
}

/** Two values of which each may be unknown. */
function agrees(known: string | number | undefined, told: string | number | undefined): boolean {
  return known === undefined || told === undefined || known === told;
}

function removed({ floor, version }: Register): Register {
  return { ...EMPTY, floor: Math.max(floor, version ?? 0) };
}

function observed(register: Register, state: State): Register | undefined {
  const { present, uid, version, base, patch, colour, floor } = register;
  const same = present && base === state.base && patch === state.patch && colour === state.colour;
  if (!same || !agrees(uid, state.uid) || !agrees(version, state.version) || state.version < floor) return undefined;
  return { ...register, uid: state.uid, version: state.version, floor: state.version };
}

function written(register: Register, ask: Ask, told: State | undefined): Register | undefined {
  const next = effect(register, ask);
  if (next === undefined) return undefined;
  if (told === undefined) return next;
  const { base, patch, colour } = next;
  const same = base === told.base && patch === told.patch && colour === told.colour && agrees(next.uid, told.uid);
  if (!same || told.version <= register.floor) return undefined;
  return { ...next, uid: told.uid, version: told.version, floor: told.version };
}

function effect(register: Register, ask: Ask): Register | undefined {
  const { present, version, floor } = register;
  const changed = { ...register, present: true, version: undefined };
  switch (ask.kind) {
    case 'create':
      return present ? undefined : { ...changed, uid: undefined, base: ask.token, patch: '', colour: ask.colour };
    case 'update':
      return present && agrees(version, ask.expected) && ask.expected >= floor
        ? { ...changed, base: ask.token, patch: '', colour: ask.colour }
        : undefined;
    case 'patch':
      return present ? { ...changed, patch: ask.token, colour: ask.colour ?? register.colour } : undefined;
    default:
      return undefined;
  }
}
