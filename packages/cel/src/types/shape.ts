import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  objectType,
  opaqueType,
  optionalType,
  type Shape,
  type ShapeField,
  stringType,
  type Type,
  timestampType,
} from './type.ts';

const scalar = (type: Type, minSize: number, maxElements = 0): Shape => ({ type, minSize, maxElements });

/** Sizes of values as JSON. */
const DATE = 12;
const MIN_TIME = 21;
const MAX_TIME = 32;
const MIN_DURATION = 3;

export const boolShape = scalar(boolType, 4);
export const intShape = scalar(intType, 1);
export const doubleShape = scalar(doubleType, 1);
export const dateShape = scalar(timestampType, DATE, DATE);
export const timeShape = scalar(timestampType, MIN_TIME, MAX_TIME);
export const durationShape = scalar(durationType, MIN_DURATION, MAX_TIME);
export const dynShape = scalar(dynType, 1, Number.MAX_SAFE_INTEGER);
export const stringShape = (maxElements: number): Shape => scalar(stringType, 2, maxElements);
export const bytesShape = (maxElements: number): Shape => scalar(bytesType, 2, maxElements);
export const intOrStringShape = (maxElements: number): Shape => scalar(dynType, 1, maxElements);

export function listShape(item: Shape, maxElements: number): Shape {
  return { type: listType(item.type), minSize: 2, maxElements, item };
}

export function mapShape(item: Shape, maxElements: number): Shape {
  const key = stringShape(0);
  return { type: mapType(stringType, item.type), minSize: 2, maxElements, item, key };
}

export function objectShape(name: string, fields: ReadonlyMap<string, ShapeField>, minSize = 2): Shape {
  const names = new Set([...fields.values()].map((field) => field.name));
  const shape = { type: dynType, minSize, maxElements: 0, fields, names } as { type: Type } & Omit<Shape, 'type'>;
  shape.type = objectType(name, shape);
  return shape;
}

/** A value whose content only functions use. */
export const opaqueShape = (name: string): Shape => scalar(opaqueType(name), 1);

/** An optional value. */
export const optionalShape = (of: Shape): Shape => ({ ...of, type: optionalType(of.type) });
