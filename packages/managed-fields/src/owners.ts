import { isJsonObject, type Json, type JsonObject } from '@tidegate/schema';
import { EMPTY, type FieldSet } from './field-set.ts';
import { fromFieldsV1, toFieldsV1 } from './fields-v1.ts';
import { compareText } from './path-element.ts';

/** The client that made a change, and the operation. */
export interface Author {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  /** empty for the object itself */
  readonly subresource: string;
}

/** An author and the fields that it owns, in the version of its request. */
export interface Owner extends Author {
  readonly time: string | undefined;
  readonly fields: FieldSet;
  /** the same fields in their stored form, if they were read from an object */
  readonly written?: Json;
}

/** Owners by id. All versions of an author's applies are one entry; updates have one entry per version. */
export type Owners = ReadonlyMap<string, Owner>;

export const NO_OWNERS: Owners = new Map();

export function ownerId({ manager, operation, apiVersion, subresource }: Author): string {
  return JSON.stringify([operation, manager, operation === 'Apply' ? '' : apiVersion, subresource]);
}

/** Decodes `metadata.managedFields`. Throws if it is malformed. */
export function readOwners(entries: Json | undefined): Owners {
  if (entries === undefined || entries === null) return NO_OWNERS;
  if (!Array.isArray(entries)) throw new Error('managedFields must be a list');
  const owners = new Map<string, Owner>();
  for (const entry of entries) {
    const owner = readOwner(entry);
    owners.set(ownerId(owner), owner);
  }
  return owners;
}

function readOwner(entry: Json): Owner {
  if (!isJsonObject(entry)) throw new Error('an entry of managedFields must be an object');
  const { operation, apiVersion, fieldsType, fieldsV1 = {} } = entry;
  if (operation !== 'Apply' && operation !== 'Update') throw new Error('operation must be `Apply` or `Update`');
  if (typeof apiVersion !== 'string' || apiVersion === '') throw new Error('apiVersion must not be empty');
  if (fieldsType !== 'FieldsV1') throw new Error(`invalid fieldsType ${JSON.stringify(fieldsType ?? '')}`);
  return {
    manager: textOf(entry.manager) ?? '',
    operation,
    apiVersion,
    subresource: textOf(entry.subresource) ?? '',
    time: textOf(entry.time),
    fields: fieldsV1 === null ? EMPTY : fromFieldsV1(fieldsV1),
    ...(fieldsV1 === null ? {} : { written: fieldsV1 }),
  };
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Encodes the entries of `metadata.managedFields` in a deterministic order. */
export function writeOwners(owners: Owners): JsonObject[] {
  const timed = [...owners.values()].map((owner) => ({ owner, seconds: secondsOf(owner) })).sort(inOrder);
  return timed.map(({ owner }) => ({
    manager: owner.manager,
    operation: owner.operation,
    apiVersion: owner.apiVersion,
    ...(owner.time === undefined ? {} : { time: owner.time }),
    fieldsType: 'FieldsV1',
    fieldsV1: owner.written ?? toFieldsV1(owner.fields),
    ...(owner.subresource === '' ? {} : { subresource: owner.subresource }),
  }));
}

interface Timed {
  readonly owner: Owner;
  readonly seconds: number;
}

function inOrder({ owner: a, seconds: first }: Timed, { owner: b, seconds: second }: Timed): number {
  return (
    compareText(a.operation, b.operation) ||
    first - second ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

export function secondsOf({ time }: Owner): number {
  const ms = time === undefined ? 0 : Date.parse(time);
  return Number.isNaN(ms) ? 0 : Math.floor(ms / 1000);
}

/** A copy of the owner with other fields. */
export function withFields(owner: Owner, fields: FieldSet): Owner {
  if (fields === owner.fields) return owner;
  const { written, ...rest } = owner;
  return { ...rest, fields };
}
