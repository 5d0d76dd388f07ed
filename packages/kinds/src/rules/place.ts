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
 * A field of an object during validation, with its value and the places above it. The path is only composed for
 * errors.
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

  /** The value as an object; an empty object when there is no value. */
  get object(): JsonObject {
    return (this.value ?? EMPTY) as JsonObject;
  }

  get list(): readonly Json[] {
    return (this.value ?? NONE) as Json[];
  }

  get text(): string {
    return (this.value ?? '') as string;
  }

  /** Whether the value is absent, or a zero value of Go. */
  get isEmpty(): boolean {
    const { value } = this;
    if (value === undefined || value === '' || value === 0 || value === false || value === null) return true;
    return typeof value === 'object' && (Array.isArray(value) ? value.length : Object.keys(value).length) === 0;
  }

  has(name: string): boolean {
    return this.object[name] !== undefined;
  }

  /** The place of a field below; `a.b` goes down two levels. */
  field(path: string): Place {
    const dot = path.indexOf('.');
    if (dot >= 0) return this.field(path.slice(0, dot)).field(path.slice(dot + 1));
    const { object } = this;
    return new Place(this, path, Object.hasOwn(object, path) ? object[path] : undefined, this.#errors);
  }

  /** A place with another name for errors. */
  as(step: string, value: Json | undefined): Place {
    return new Place(this, step, value, this.#errors);
  }

  item(index: number): Place {
    return new Place(this, index, this.list[index], this.#errors);
  }

  items(): Place[] {
    return this.list.map((_, index) => this.item(index));
  }

  /** The place of a key of a map: `limits[cpu]`. */
  entries(): Place[] {
    return Object.keys(this.object).map((key) => new Keyed(this, key, this.object[key], this.#errors));
  }

  /** The place this number of levels above. */
  up(steps: number): Place {
    let place: Place = this;
    for (let i = 0; i < steps && place.holder !== undefined; i++) place = place.holder;
    return place;
  }

  add(error: FieldError): void {
    this.addError(() => error);
  }

  /** Adds an error; the text is only made when the error is listed. */
  addError(make: () => FieldError, times = 1): void {
    this.#errors.add(make, times);
  }

  required(detail = ''): void {
    this.addError(() => requiredValue(this.path, detail));
  }

  invalid(detail: string, value: unknown = this.value ?? null): void {
    this.addError(() => invalidValue(this.path, value, detail));
  }

  /** Adds an error for each problem. */
  invalidFor(problems: readonly string[], value: unknown = this.value ?? null): void {
    for (const problem of problems) this.invalid(problem, value);
  }

  unsupported(supported: readonly string[], value: unknown = this.value ?? ''): void {
    this.addError(() => notSupported(this.path, value, supported));
  }

  forbidden(detail: string): void {
    this.addError(() => forbiddenField(this.path, detail));
  }

  duplicate(value: unknown = this.value, detail = ''): void {
    this.addError(() => duplicateValue(this.path, value, detail));
  }

  notFound(): void {
    this.addError(() => notFoundValue(this.path, this.value ?? ''));
  }

  tooLong(detail: string): void {
    this.addError(() => tooLong(this.path, detail));
  }

  /** Adds an error when a list has too many items. */
  atMost(most: number): void {
    if (this.list.length > most) this.addError(() => tooMany(this.path, this.list.length, most));
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
 * Computes a value once for a place and its descendants: for example the names of a list that each item of another
 * list looks up. Places, and these values, live as long as one validation.
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
