import type { OperationRequest, Outcome, State } from '../history/history.ts';

/**
 * The API's promises for one object, as a state machine with one step for each operation.
 *
 *   absent --create v--> present at v --update expecting v / patch--> present at w > v --delete--> absent
 *
 * `floor` is the highest known version of the object; a later change has a higher one, also after a deletion. After a
 * write with an unknown outcome the version is undefined until a client reads it.
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
  readonly request: OperationRequest;
  readonly outcome: Outcome;
  /** for an unknown outcome: the state that the write created, if a client saw it */
  readonly seen: State | undefined;
}

/** The register after an operation; undefined if the operation cannot have this outcome here. */
export function step(register: Register, { request, outcome, seen }: Step): Register | undefined {
  switch (outcome.kind) {
    case 'state':
      return request.kind === 'get' ? observed(register, outcome.state) : written(register, request, outcome.state);
    case 'deleted':
      return register.present && agrees(register.uid, outcome.uid) ? removed(register) : undefined;
    case 'absent':
      return register.present || request.kind === 'create' ? undefined : register;
    case 'exists':
      return register.present ? register : undefined;
    case 'conflict':
      return register.present && request.kind === 'update' && register.version !== request.expected
        ? register
        : undefined;
    case 'rejected':
      return register;
    case 'unknown':
      return request.kind === 'delete' && register.present ? removed(register) : written(register, request, seen);
  }
}

/** Whether two values are equal; either may be unknown. */
function agrees(known: string | number | undefined, reported: string | number | undefined): boolean {
  return known === undefined || reported === undefined || known === reported;
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

function written(register: Register, request: OperationRequest, reported: State | undefined): Register | undefined {
  const next = effect(register, request);
  if (next === undefined) return undefined;
  if (reported === undefined) return next;
  const { base, patch, colour } = next;
  const same =
    base === reported.base && patch === reported.patch && colour === reported.colour && agrees(next.uid, reported.uid);
  if (!same || reported.version <= register.floor) return undefined;
  return { ...next, uid: reported.uid, version: reported.version, floor: reported.version };
}

function effect(register: Register, request: OperationRequest): Register | undefined {
  const { present, version, floor } = register;
  const changed = { ...register, present: true, version: undefined };
  switch (request.kind) {
    case 'create':
      return present
        ? undefined
        : { ...changed, uid: undefined, base: request.token, patch: '', colour: request.colour };
    case 'update':
      return present && agrees(version, request.expected) && request.expected >= floor
        ? { ...changed, base: request.token, patch: '', colour: request.colour }
        : undefined;
    case 'patch':
      return present ? { ...changed, patch: request.token, colour: request.colour ?? register.colour } : undefined;
    default:
      return undefined;
  }
}
