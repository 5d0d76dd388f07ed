import type { Json, JsonObject } from '@tidegate/schema';
import {
  duplicateValue,
  type FieldError,
  FieldErrors,
  forbiddenField,
  invalidValue,
  notFoundValue,
  notSupported,
  requiredValue,
  tooLong,
  tooMany,
} from '@tidegate/status';

/**
 * A field of an object that is being looked at, with its value and what it stands in. Its path is put together only when
 * something is wrong with it.
 */
export class Place {
  readonly holder: Place | undefined;
  readonly step: string | number;
  readonly value: Json | undefined;
  readonly #errors: FieldErrors;

  constructor(
    holder: Place | undefined,
    step: string | number,
    value: Json | undefined,
    errors: FieldErrors | FieldError[],
  ) {
    this.holder = holder;
    this.step = step;
    this.value = value;
    this.#errors = Array.isArray(errors) ? new FieldErrors(errors) : errors;
  }

  get path(): string {
    const { holder, step } = this;
    if (holder === undefined) return '';
    if (typeof step === 'number') return `${holder.path}[${step}]`;
    return holder.holder === undefined ? step : `${holder.path}.${step}`;
  }

  get errorCount(): number {
    return this.#errors.count;
  }

  /** The value as an object; an empty one where there is none. */
  get object(): JsonObject {
    return (this.value ?? EMPTY) as JsonObject;
  }

  get list(): readonly Json[] {
    return (this.value ?? NONE) as Json[];
  }

  get text(): string {
    return (this.value ?? '') as string;
  }

  /** Nothing, or what Go takes for nothing. */
  get isEmpty(): boolean {
    const { value } = this;
    if (value === undefined || value === '' || value === 0 || value === false || value === null) return true;
    return typeof value === 'object' && (Array.isArray(value) ? value.length : Object.keys(value).length) === 0;
  }

  has(name: string): boolean {
    return this.object[name] !== undefined;
  }

  /** A field below; `a.b` goes down twice. */
  field(path: string): Place {
    const dot = path.indexOf('.');
    if (dot >= 0) return this.field(path.slice(0, dot)).field(path.slice(dot + 1));
    const { object } = this;
    return new Place(this, path, Object.hasOwn(object, path) ? object[path] : undefined, this.#errors);
  }

  /** A value that is spoken of under a name of its own. */
  as(step: string, value: Json | undefined): Place {
    return new Place(this, step, value, this.#errors);
  }

  item(index: number): Place {
    return new Place(this, index, this.list[index], this.#errors);
  }

  items(): Place[] {
    return this.list.map((_, index) => this.item(index));
  }

  /** What stands at a key of a map: `limits[cpu]`. */
  entries(): Place[] {
    return Object.keys(this.object).map((key) => new Keyed(this, key, this.object[key], this.#errors));
  }

  /** What stands so many steps above. */
  up(steps: number): Place {
    let place: Place = this;
    for (let i = 0; i < steps && place.holder !== undefined; i++) place = place.holder;
    return place;
  }

  add(error: FieldError): void {
    this.tell(() => error);
  }

  /** The words are made only where they are listed. */
  tell(make: () => FieldError, times = 1): void {
    this.#errors.add(make, times);
  }

  required(detail = ''): void {
    this.tell(() => requiredValue(this.path, detail));
  }

  invalid(detail: string, value: unknown = this.value ?? null): void {
    this.tell(() => invalidValue(this.path, value, detail));
  }

  /** Each of the problems with the value. */
  invalidFor(problems: readonly string[], value: unknown = this.value ?? null): void {
    for (const problem of problems) this.invalid(problem, value);
  }

  unsupported(supported: readonly string[], value: unknown = this.value ?? ''): void {
    this.tell(() => notSupported(this.path, value, supported));
  }

  forbidden(detail: string): void {
    this.tell(() => forbiddenField(this.path, detail));
  }

  duplicate(value: unknown = this.value, detail = ''): void {
    this.tell(() => duplicateValue(this.path, value, detail));
  }

  notFound(): void {
    this.tell(() => notFoundValue(this.path, this.value ?? ''));
  }

  tooLong(detail: string): void {
    this.tell(() => tooLong(this.path, detail));
  }

  /** More items than may stand in a list. */
  atMost(most: number): void {
    if (this.list.length > most) this.tell(() => tooMany(this.path, this.list.length, most));
  }
}

class Keyed extends Place {
  override get path(): string {
    return `${this.holder?.path ?? ''}[${this.step}]`;
  }
}

const EMPTY: JsonObject = {};
const NONE: readonly Json[] = [];

/**
 * What is worked out once of a place and asked for by many below it: the names of a list, looked up by each item of
 * another one. Places live as long as one validation, and so does what is known of them.
 */
export function once<T>(make: (place: Place) => T): (place: Place) => T {
  const known = new WeakMap<Place, { readonly made: T }>();
  return (place) => {
    let found = known.get(place);
    if (found === undefined) {
      found = { made: make(place) };
      known.set(place, found);
    }
    return found.made;
  };
}
