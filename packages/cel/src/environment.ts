import { check, type Declarations } from './check/checker.ts';
import { checkLiterals, failingConversion, visit } from './check/literal-checks.ts';
import { addresses } from './functions/addresses.ts';
import { arithmetic } from './functions/arithmetic.ts';
import { authorization } from './functions/authorization.ts';
import { comparison } from './functions/comparison.ts';
import { conversions } from './functions/conversions.ts';
import { formats } from './functions/formats.ts';
import { lists, sets } from './functions/lists.ts';
import { optionals } from './functions/optionals.ts';
import type { Overload } from './functions/overload.ts';
import { quantities } from './functions/quantities.ts';
import { regex } from './functions/regex.ts';
import { strings } from './functions/strings.ts';
import { urls } from './functions/urls.ts';
import { versions } from './functions/versions.ts';
import { Program } from './run/program.ts';
import type { Expression } from './syntax/expression.ts';
import { parse } from './syntax/parser.ts';
import { type Issue, issuesText } from './syntax/source.ts';
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  opaqueType,
  optionalType,
  type Shape,
  stringType,
  type Type,
  timestampType,
  typeType,
  uintType,
} from './types/type.ts';

const ALL: readonly Overload[] = [
  ...arithmetic,
  ...comparison,
  ...conversions,
  ...strings,
  ...regex,
  ...optionals,
  ...lists,
  ...sets,
  ...quantities,
  ...addresses,
  ...urls,
  ...versions,
  ...formats,
  ...authorization,
];

const overloads: ReadonlyMap<string, Overload> = new Map(ALL.map((one) => [one.id, one]));
const functions: ReadonlyMap<string, readonly Overload[]> = Map.groupBy(ALL, ({ name }) => name);

const KNOWN_TYPES: readonly Type[] = [
  boolType,
  bytesType,
  doubleType,
  intType,
  stringType,
  uintType,
  nullType,
  durationType,
  timestampType,
];
const OPAQUE_TYPES = [
  'net.IP',
  'net.CIDR',
  'kubernetes.Quantity',
  'kubernetes.URL',
  'kubernetes.Semver',
  'kubernetes.NamedFormat',
];

const types: ReadonlyMap<string, Type> = new Map([
  ...KNOWN_TYPES.map((type) => [type.name, typeType(type)] as const),
  ...OPAQUE_TYPES.map((name) => [name, typeType(opaqueType(name))] as const),
  ['list', typeType(listType(dynType))],
  ['map', typeType(mapType(dynType, dynType))],
  ['type', typeType(typeType())],
  ['optional_type', typeType(optionalType(dynType))],
]);

export interface EnvironmentOptions {
  /** lists and maps may have values of different types */
  readonly mixesTypes?: boolean;
}

export type Compiled =
  | { readonly kind: 'compiled'; readonly program: Program }
  | {
      readonly kind: 'rejected';
      /** instantiation: the expression is valid, but fails for any values */
      readonly stage: 'compilation' | 'instantiation';
      readonly text: string;
    };

/** The variables of the expressions of one place. The functions are the same everywhere. */
export class Environment {
  readonly #variables: ReadonlyMap<string, Shape>;
  readonly #declarations: Declarations;

  constructor(variables: Readonly<Record<string, Shape>>, { mixesTypes = false }: EnvironmentOptions = {}) {
    this.#variables = new Map(Object.entries(variables));
    const named = Object.entries(variables).map(([name, { type }]) => [name, type] as const);
    this.#declarations = { variables: new Map(named), functions, types, mixesTypes };
  }

  compile(source: string): Compiled {
    const parsed = parse(source);
    if ('issues' in parsed) return rejected(source, parsed.issues);
    const { expression } = parsed;
    const problems = check(expression, this.#declarations, source.length);
    const issues = problems.length > 0 ? problems : checkLiterals(expression);
    if (issues.length > 0) return rejected(source, issues);
    const failure = failingConversion(expression, overloads);
    if (failure !== undefined) return { kind: 'rejected', stage: 'instantiation', text: failure.message };
    const building = { overloads, types, variables: this.#declarations.variables, slots: new Map<string, number>() };
    const used = usedVariables(expression, this.#declarations);
    return { kind: 'compiled', program: new Program({ expression, building, used, shapes: this.#variables }) };
  }
}

function rejected(source: string, issues: readonly Issue[]): Compiled {
  return { kind: 'rejected', stage: 'compilation', text: issuesText(source, issues) };
}

function usedVariables(expression: Expression, { variables }: Declarations): ReadonlySet<string> {
  const used = new Set<string>();
  visit(expression, (node) => {
    const name =
      node.kind === 'ident' ? node.name.replace(/^\./, '') : node.kind === 'select' ? node.resolved : undefined;
    if (name !== undefined && variables.has(name)) used.add(name);
  });
  return used;
}
