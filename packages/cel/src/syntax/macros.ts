import type { Call, Expression, Fold } from './expression.ts';
import { call, fold, ident, list, literal, map, select } from './nodes.ts';
import type { Issue } from './source.ts';

/** A call that may be a macro. */
export interface MacroCall {
  readonly at: number;
  readonly target: Expression | undefined;
  readonly args: readonly Expression[];
}

/** The expansion of a macro, or an error in its arguments. */
type Expansion = Expression | Issue | undefined;
type Macro = (call: MacroCall & { readonly target: Expression }) => Expansion;

/** A name that cannot be written in an expression. */
const CARRIED = '@result';

const isTrue = (at: number) => literal(at, true);
const carried = (at: number) => ident(at, CARRIED);
const continues = (at: number, inner: Expression) => call(at, '@not_strictly_false', [inner]);

/** The parts of a loop: start value, condition, step, and result. */
type Plan = Pick<Fold, 'condition' | 'result' | 'start' | 'step'>;

interface Loop {
  readonly at: number;
  readonly last: Expression;
}

const PLANS = {
  all: ({ at, last }: Loop): Plan => ({
    start: isTrue(at),
    condition: continues(at, carried(at)),
    step: call(at, '_&&_', [carried(at), last]),
    result: carried(at),
  }),
  exists: ({ at, last }: Loop): Plan => ({
    start: literal(at, false),
    condition: continues(at, call(at, '!_', [carried(at)])),
    step: call(at, '_||_', [carried(at), last]),
    result: carried(at),
  }),
  one: ({ at, last }: Loop): Plan => {
    const counted = call(at, '_+_', [carried(at), literal(at, 1n)]);
    return {
      start: literal(at, 0n),
      condition: isTrue(at),
      step: call(at, '_?_:_', [last, counted, carried(at)]),
      result: call(at, '_==_', [carried(at), literal(at, 1n)]),
    };
  },
};

/** A loop that builds a list or map, optionally only from items for which a condition holds. */
function growing(at: number, added: Call, filter: Expression | undefined): Plan {
  const grown: Call = { ...added, inPlace: true };
  return {
    start: added.name === '_+_' ? list(at, []) : map(at, []),
    condition: isTrue(at),
    step: filter === undefined ? grown : call(at, '_?_:_', [filter, grown, carried(at)]),
    result: carried(at),
  };
}

const appended = (at: number, item: Expression) => call(at, '_+_', [carried(at), list(at, [item])]);

interface Variables {
  readonly variable: string;
  readonly second?: string;
}

/** The variables of a loop: its first arguments. */
function variablesOf({ args }: MacroCall, count: 1 | 2): Variables | Issue {
  const names: string[] = [];
  for (const arg of args.slice(0, count)) {
    if (arg.kind !== 'ident') return { at: arg.at, message: 'argument must be a simple name' };
    names.push(arg.name);
  }
  const [variable = '', second] = names;
  return second === undefined ? { variable } : { variable, second };
}

function looped(made: MacroCall & { target: Expression }, count: 1 | 2, plan: Plan): Expansion {
  const variables = variablesOf(made, count);
  if ('message' in variables) return variables;
  if (variables.variable === variables.second) {
    return { at: made.args[1]?.at ?? made.at, message: `duplicate variable name: ${variables.variable}` };
  }
  return fold(made.at, {
    range: made.target,
    variable: variables.variable,
    second: variables.second,
    carried: CARRIED,
    ...plan,
  });
}

const last = ({ args }: MacroCall): Expression => args.at(-1) as Expression;

function judging(plan: keyof typeof PLANS, count: 1 | 2): Macro {
  return (made) => looped(made, count, PLANS[plan]({ at: made.at, last: last(made) }));
}

function mapping(count: 1 | 2, filtered: boolean): Macro {
  return (made) => {
    const filter = filtered ? made.args[count] : undefined;
    return looped(made, count, growing(made.at, appended(made.at, last(made)), filter));
  };
}

function mapEntries(filtered: boolean, entry: (made: MacroCall) => Expression[]): Macro {
  return (made) => {
    const added = call(made.at, 'cel.@mapInsert', [carried(made.at), ...entry(made)]);
    return looped(made, 2, growing(made.at, added, filtered ? made.args[2] : undefined));
  };
}

const filter: Macro = (made) => {
  const [variable] = made.args;
  if (variable?.kind !== 'ident') return { at: variable?.at ?? made.at, message: 'argument is not an identifier' };
  const plan = growing(made.at, appended(made.at, ident(variable.at, variable.name)), last(made));
  return looped(made, 1, plan);
};

const valueAtKey = (made: MacroCall): Expression[] => [made.args[0] as Expression, last(made)];
const wholeEntry = (made: MacroCall): Expression[] => [last(made)];

/** `a.optMap(x, f)`: f applied to the value of the optional a. */
function optional(wraps: boolean): Macro {
  return ({ at, target, args }) => {
    const [variable, body] = args as [Expression, Expression];
    if (variable.kind !== 'ident') {
      const name = wraps ? 'optMap' : 'optFlatMap';
      return { at: variable.at, message: `${name}() variable name must be a simple identifier` };
    }
    const held = call(at, 'value', [], target);
    const made = bound(at, { name: variable.name, value: held, body });
    return call(at, '_?_:_', [
      call(at, 'hasValue', [], target),
      wraps ? call(at, 'optional.of', [made]) : made,
      call(at, 'optional.none', []),
    ]);
  };
}

interface Binding {
  readonly name: string;
  readonly value: Expression;
  readonly body: Expression;
}

/** Binds a name to a value, as a loop without iterations. */
function bound(at: number, { name, value, body }: Binding): Expression {
  return fold(at, {
    range: list(at, []),
    variable: '#unused',
    second: undefined,
    carried: name,
    start: value,
    condition: literal(at, false),
    step: ident(at, name),
    result: body,
  });
}

const SORTED = '@sorted';

/** `a.sortBy(x, f)`: a sorted by the values of f. */
const sortBy: Macro = ({ at, target, args }) => {
  const [variable, key] = args as [Expression, Expression];
  if (variable.kind !== 'ident') return { at: variable.at, message: 'sortBy can only be applied with a simple name' };
  const keys = looped(
    { at, target: ident(at, SORTED), args: [variable, key] },
    1,
    growing(at, appended(at, key), undefined),
  );
  if (keys === undefined || 'message' in keys) return keys;
  const body = call(at, '@sortByAssociatedKeys', [keys], ident(at, SORTED));
  return bound(at, { name: SORTED, value: target, body });
};

const MACROS: Readonly<Record<string, Macro>> = {
  'all/2': judging('all', 1),
  'all/3': judging('all', 2),
  'exists/2': judging('exists', 1),
  'exists/3': judging('exists', 2),
  'exists_one/2': judging('one', 1),
  'exists_one/3': judging('one', 2),
  'existsOne/3': judging('one', 2),
  'map/2': mapping(1, false),
  'map/3': mapping(1, true),
  'filter/2': filter,
  'transformList/3': mapping(2, false),
  'transformList/4': mapping(2, true),
  'transformMap/3': mapEntries(false, valueAtKey),
  'transformMap/4': mapEntries(true, valueAtKey),
  'transformMapEntry/3': mapEntries(false, wholeEntry),
  'transformMapEntry/4': mapEntries(true, wholeEntry),
  'optMap/2': optional(true),
  'optFlatMap/2': optional(false),
  'sortBy/2': sortBy,
};

/** Expands a call if it is a macro; otherwise undefined. */
export function expand(name: string, made: MacroCall): Expansion {
  const { at, target, args } = made;
  if (target !== undefined) {
    const key = `${name}/${args.length}`;
    return Object.hasOwn(MACROS, key) ? MACROS[key]?.({ ...made, target }) : undefined;
  }
  const [tested] = args;
  if (name !== 'has' || args.length !== 1 || tested === undefined) return undefined;
  if (tested.kind === 'select' && !tested.isTest) return select(at, tested.operand, tested.field, true);
  return { at: tested.at, message: 'invalid argument to has() macro' };
}
