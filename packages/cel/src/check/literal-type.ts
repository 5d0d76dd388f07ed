import type { Literal } from '../syntax/expression.ts';
import { boolType, bytesType, doubleType, intType, nullType, stringType, type Type, uintType } from '../types/type.ts';
import { Uint } from '../values/value.ts';

export function literalType({ value }: Literal): Type {
  switch (typeof value) {
    case 'boolean':
      return boolType;
    case 'bigint':
      return intType;
    case 'number':
      return doubleType;
    case 'string':
      return stringType;
    default:
      if (value === null) return nullType;
      return value instanceof Uint ? uintType : bytesType;
  }
}
