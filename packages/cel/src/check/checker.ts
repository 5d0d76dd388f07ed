import type { Overload } from '../functions/overload.ts';
import type {
  Call,
  Expression,
  Fold,
  Ident,
  ListLiteral,
  Literal,
  MapLiteral,
  Select,
  StructLiteral,
} from '../syntax/expression.ts';
import { qualifiedName } from '../syntax/expression.ts';
import type { Issue } from '../syntax/source.ts';
import {
  boolType,
  dynType,
  errorType,
  intType,
  isOptionalType,
  listType,
  mapType,
  optionalType,
  paramType,
  stringType,
  type Type,
  typeText,
  unwrapped,
} from '../types/type.ts';
import { Bindings, isLoose, mostGeneral, substitute, TooLarge } from '../types/unify.ts';
import { literalType } from './literal-type.ts';
import { Scope } from './scope.ts';

/** The names that expressions can use. */
export interface Declarations {
  readonly variables: ReadonlyMap<string, Type>;
  readonly functions: ReadonlyMap<string, readonly Overload[]>;
  /** types by their names in expressions */
  readonly types: ReadonlyMap<string, Type>;
  /** lists and maps may have values of different types */
  readonly mixesTypes: boolean;
}

const MIN_STEPS = 20_000;
const STEPS_PER_CHARACTER = 50;

/**
 * Determines the type of every part of an expression and the matching overloads of every call, and returns the errors.
 * The work is bounded by `length`, the length of the source, because types can grow without bound.
 */
export function check(expression: Expression, declarations: Declarations, length: number): Issue[] {
  const checker = new Checker(declarations, MIN_STEPS + STEPS_PER_CHARACTER * length);
  try {
    checker.check(expression);
    checker.settle();
  } catch (error) {
    if (error instanceof TooLarge) return [{ at: expression.at, message: 'the types of the expression are too large' }];
    throw error;
  }
  return checker.issues;
}

class Checker {
  readonly issues: Issue[] = [];
  readonly #known: Declarations;
  readonly #typed: Expression[] = [];
  readonly #bindings: Bindings;
  #scope: Scope;
  #parameters = 0;
  /** above 0 inside the arguments of a format, which may have different types at all depths */
  #formats = 0;

  constructor(known: Declarations, mostSteps: number) {
    this.#known = known;
    this.#bindings = new Bindings(mostSteps);
    this.#scope = new Scope(known.variables);
  }

  check(expression: Expression): Type {
    const type = this.#typeOf(expression);
    expression.type = type;
    this.#typed.push(expression);
    return type;
  }

  /** Unbound type parameters become dyn. */
  settle(): void {
    for (const one of this.#typed) one.type = substitute(this.#bindings, one.type as Type, dynType);
  }

  #typeOf(expression: Expression): Type {
    switch (expression.kind) {
      case 'literal':
        return literalType(expression);
      case 'ident':
        return this.#ident(expression);
      case 'select':
        return this.#select(expression);
      case 'call':
        return expression.name === '_?._' ? this.#optionalSelect(expression) : this.#call(expression);
      case 'list':
        return this.#list(expression);
      case 'map':
        return this.#map(expression);
      case 'struct':
        return this.#struct(expression);
      case 'fold':
        return this.#fold(expression);
    }
  }

  #fail(at: number, message: string): Type {
    this.issues.push({ at, message });
    return errorType;
  }

  #named(name: string): Type | undefined {
    const plain = name.replace(/^\./, '');
    const variable = name === plain ? this.#scope.find(name) : this.#known.variables.get(plain);
    return variable ?? this.#known.types.get(plain);
  }

  #ident({ at, name }: Ident): Type {
    return this.#named(name) ?? this.#undeclared(at, name);
  }

  #undeclared(at: number, name: string): Type {
    return this.#fail(at, `undeclared reference to '${name.replace(/^\./, '')}' (in container '')`);
  }

  #select(expression: Select): Type {
    const name = qualifiedName(expression);
    const whole = name === undefined ? undefined : this.#named(name);
    if (whole !== undefined && name !== undefined) {
      expression.resolved = name.replace(/^\./, '');
      return whole;
    }
    const type = this.#field(expression, expression.operand, expression.field);
    return expression.isTest ? boolType : this.#now(type);
  }

  #optionalSelect({ at, args }: Call): Type {
    const [operand, field] = args as [Expression, Literal];
    field.type = stringType;
    const type = this.#field({ at }, operand, String(field.value));
    return this.#now(isOptionalType(type) ? type : optionalType(type));
  }

  #field({ at }: { at: number }, operand: Expression, field: string): Type {
    const operandType = this.#now(this.check(operand));
    const target = unwrapped(operandType);
    const type = this.#fieldOf(at, target, field);
    return isOptionalType(operandType) ? optionalType(type) : type;
  }

  #fieldOf(at: number, target: Type, field: string): Type {
    switch (target.kind) {
      case 'map':
        return target.params[1] as Type;
      case 'object':
        return target.shape?.fields?.get(field)?.shape.type ?? this.#fail(at, `undefined field '${field}'`);
      case 'param':
        this.#assign([dynType], [target]);
        return dynType;
      default:
        if (!isLoose(target)) this.#fail(at, `type '${typeText(target)}' does not support field selection`);
        return dynType;
    }
  }

  #call(expression: Call): Type {
    const { at, name, target, args } = expression;
    this.#formats += Number(name === 'format');
    const types = args.map((arg) => this.check(arg));
    this.#formats -= Number(name === 'format');
    if (target === undefined) {
      const plain = name.replace(/^\./, '');
      return this.#resolve(expression, plain, types, false) ?? this.#undeclared(at, name);
    }
    const prefix = qualifiedName(target);
    if (prefix !== undefined) {
      const qualified = `${prefix.replace(/^\./, '')}.${name}`;
      if (this.#known.functions.has(qualified)) {
        expression.resolved = qualified;
        return this.#resolve(expression, qualified, types, false) as Type;
      }
    }
    const own = this.check(target);
    return this.#resolve(expression, name, [own, ...types], true) ?? this.#undeclared(at, name);
  }

  /** Returns undefined if the function does not exist. */
  #resolve(expression: Call, name: string, types: readonly Type[], isMember: boolean): Type | undefined {
    const overloads = this.#known.functions.get(name);
    if (name === '_&&_' || name === '_||_') return this.#logical(expression, types);
    if (name === '_?_:_') return this.#conditional(expression, types);
    if (name === '@not_strictly_false') return boolType;
    if (overloads === undefined) return undefined;
    const fitting: string[] = [];
    let result: Type | undefined;
    for (const candidate of overloads) {
      if (candidate.isMember !== isMember) continue;
      const [own, ...params] = this.#fresh(candidate) as [Type, ...Type[]];
      if (!this.#assign(types, params)) continue;
      fitting.push(candidate.id);
      const found = this.#now(own);
      result = result === undefined || typeText(result) === typeText(found) ? found : dynType;
    }
    if (result !== undefined) {
      expression.overloads = fitting;
      return result;
    }
    return this.#fail(expression.at, this.#noOverload(name, types, isMember));
  }

  #noOverload(name: string, types: readonly Type[], isMember: boolean): string {
    const texts = types.map((type) => typeText(substitute(this.#bindings, type, dynType)));
    const own = isMember ? `${texts.shift()}.` : '';
    return `found no matching overload for '${name}' applied to '${own}(${texts.join(', ')})'`;
  }

  #logical({ args }: Call, types: readonly Type[]): Type {
    let result = boolType;
    for (const [i, type] of types.entries()) {
      if (this.#assign([type], [boolType])) continue;
      const words = `expected type 'bool' but found '${typeText(this.#now(type))}'`;
      result = this.#fail(args[i]?.at ?? 0, words);
    }
    return result;
  }

  #conditional(expression: Call, types: readonly Type[]): Type {
    const either = this.#parameter();
    if (this.#assign(types, [boolType, either, either])) return this.#now(either);
    return this.#fail(expression.at, this.#noOverload('_?_:_', types, false));
  }

  /** Result and parameters of an overload with fresh type parameters. */
  #fresh({ params, result }: Overload): Type[] {
    const made = new Map<string, Type>();
    const renew = (type: Type): Type => {
      if (type.params.length > 0) return { ...type, params: type.params.map(renew) };
      if (type.kind !== 'param') return type;
      const known = made.get(type.name) ?? this.#parameter();
      made.set(type.name, known);
      return known;
    };
    return [result, ...params].map(renew);
  }

  #parameter(): Type {
    return paramType(`_var${this.#parameters++}`);
  }

  #assign(from: readonly Type[], to: readonly Type[]): boolean {
    return this.#bindings.assign(from, to);
  }

  #now(type: Type): Type {
    return substitute(this.#bindings, type);
  }

  #list({ items, optional }: ListLiteral): Type {
    let joined: Type | undefined;
    for (const [i, item] of items.entries()) {
      const type = this.check(item);
      joined = this.#join(item, joined, optional.has(i) ? this.#optionalPart(item, type) : type);
    }
    return listType(joined ?? this.#parameter());
  }

  #map({ entries }: MapLiteral): Type {
    let [keys, values]: Array<Type | undefined> = [];
    for (const { key, value, isOptional } of entries) {
      keys = this.#join(key, keys, this.check(key));
      const type = this.check(value);
      values = this.#join(value, values, isOptional ? this.#optionalPart(value, type) : type);
    }
    return mapType(keys ?? this.#parameter(), values ?? this.#parameter());
  }

  #optionalPart({ at }: Expression, type: Type): Type {
    if (!isOptionalType(type) && type.kind !== 'dyn') this.#mismatch(at, optionalType(type), type);
    return unwrapped(type);
  }

  #mismatch(at: number, expected: Type, found: Type): Type {
    return this.#fail(at, `expected type '${typeText(this.#now(expected))}' but found '${typeText(this.#now(found))}'`);
  }

  #join({ at }: Expression, before: Type | undefined, type: Type): Type {
    if (before === undefined) return type;
    if (this.#assign([before], [type])) return mostGeneral(this.#bindings, before, type);
    return this.#known.mixesTypes || this.#formats > 0 ? dynType : this.#mismatch(at, before, type);
  }

  #struct({ at, name, fields }: StructLiteral): Type {
    const type = this.#known.types.get(name);
    for (const { value } of fields) this.check(value);
    if (type === undefined) return this.#undeclared(at, name);
    return this.#fail(at, `'${name}' is not a message type`);
  }

  #fold(expression: Fold): Type {
    const { range, variable, second, carried, start, condition, step, result } = expression;
    const rangeType = this.#now(this.check(range));
    const carriedType = this.check(start);
    const outer = this.#scope;
    const inner = outer.with([[carried, carriedType]]);
    const [first, other] = this.#turnTypes(range, rangeType, second !== undefined);
    this.#scope = inner.with(
      second === undefined
        ? [[variable, first]]
        : [
            [variable, first],
            [second, other],
          ],
    );
    this.#expect(condition, boolType);
    this.#expect(step, carriedType);
    this.#scope = inner;
    const type = this.check(result);
    this.#scope = outer;
    return this.#now(type);
  }

  #expect(expression: Expression, wanted: Type): void {
    const found = this.check(expression);
    if (!this.#assign([wanted], [found])) this.#mismatch(expression.at, wanted, found);
  }

  /** The types of the variables of a loop. */
  #turnTypes({ at }: Expression, range: Type, isPair: boolean): [Type, Type] {
    const [first, second] = range.params as [Type, Type];
    if (range.kind === 'list') return isPair ? [intType, first] : [first, first];
    if (range.kind === 'map') return [first, second];
    if (isLoose(range) || range.kind === 'param') {
      this.#assign([dynType], [range]);
      return [dynType, dynType];
    }
    const what = 'cannot be range of a comprehension (must be list, map, or dynamic)';
    const failed = this.#fail(at, `expression of type '${typeText(range)}' ${what}`);
    return [failed, failed];
  }
}
