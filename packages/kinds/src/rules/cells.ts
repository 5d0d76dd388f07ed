import { isJsonObject, type Json, type JsonObject } from '@tidegate/schema';
import { valueAt } from './fields.ts';

export const NONE = '<none>';

/** The text at a path; empty when there is none. */
export function textAt(object: JsonObject, path: string, otherwise = ''): string {
  const value = valueAt(object, path);
  return value === undefined || value === null || value === '' ? otherwise : String(value);
}

export function numberAt(object: JsonObject, path: string): number {
  const value = valueAt(object, path);
  return typeof value === 'number' ? value : 0;
}

export function flagAt(object: JsonObject, path: string): boolean {
  return valueAt(object, path) === true;
}

/** The objects of the list at a path; empty without a list. */
export function listAt(object: JsonObject, path: string): JsonObject[] {
  const value = valueAt(object, path);
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

export function textsAt(object: JsonObject, path: string): string[] {
  const value = valueAt(object, path);
  return Array.isArray(value) ? value.map(String) : [];
}

/** A cell that shows the text at a path. */
export function cellAt(path: string, otherwise = ''): (object: JsonObject) => string {
  return (object) => textAt(object, path, otherwise);
}

export function numberCell(path: string): (object: JsonObject) => number {
  return (object) => numberAt(object, path);
}

export function flagCell(path: string): (object: JsonObject) => boolean {
  return (object) => flagAt(object, path);
}

/** The number of entries of a list or map. */
export function countAt(object: JsonObject, path: string): number {
  const value = valueAt(object, path);
  if (Array.isArray(value)) return value.length;
  return isJsonObject(value) ? Object.keys(value).length : 0;
}

export function hasCondition(object: JsonObject, type: string, status = 'True'): boolean {
  return listAt(object, 'status.conditions').some(
    (condition) => condition.type === type && condition.status === status,
  );
}

/** `a=b,c=d` in the order of the keys. */
export function labelsText(labels: Json | undefined): string {
  if (!isJsonObject(labels) || Object.keys(labels).length === 0) return NONE;
  return Object.keys(labels)
    .sort()
    .map((key) => `${key}=${String(labels[key])}`)
    .join(',');
}

const SIGNS: Readonly<Record<string, string>> = { In: 'in', NotIn: 'notin' };

/** A label selector with labels and expressions, as a text. */
export function selectorText(selector: Json | undefined): string {
  if (!isJsonObject(selector)) return NONE;
  const labels = isJsonObject(selector.matchLabels) ? selector.matchLabels : {};
  const parts = Object.keys(labels)
    .sort()
    .map((key) => `${key}=${String(labels[key])}`);
  for (const { key, operator, values } of listAt(selector, 'matchExpressions')) {
    if (operator === 'Exists') parts.push(String(key));
    else if (operator === 'DoesNotExist') parts.push(`!${String(key)}`);
    else parts.push(`${String(key)} ${SIGNS[String(operator)]} (${(values as string[]).toSorted().join(',')})`);
  }
  return parts.length === 0 ? NONE : parts.join(',');
}

/** The first few texts, and the number of the others. */
export function firstOf(all: readonly string[], most: number, between = ','): string {
  if (all.length === 0) return NONE;
  const shown = all.slice(0, most).join(between);
  return all.length > most ? `${shown} + ${all.length - most} more...` : shown;
}
