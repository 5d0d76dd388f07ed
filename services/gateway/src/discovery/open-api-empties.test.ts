import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject, type Json } from '@tidegate/schema';
import { ODD_GROUP, openApiDocuments } from '../testing/open-api-documents.ts';

/** A value of these may be anything, but null: it is data, and nobody leaves parts of it out. */
const DATA = new Set(['default', 'enum', 'example']);
/** A schema that says nothing is still there. */
const SCHEMAS = new Set(['items', 'additionalProperties', 'not', 'schema']);
const MAPS = new Set(['properties', 'schemas', 'definitions', 'paths']);
const LISTS = new Set(['allOf', 'anyOf', 'oneOf']);

/** Where a document says nothing at length, which Kubernetes' own types leave out when they write it. */
function empties(value: Json, place: string, around: string): string[] {
  if (Array.isArray(value)) {
    if (value.length === 0) return [place];
    return value.flatMap((item, i) => empties(item, `${place}/${i}`, LISTS.has(around) ? 'items' : ''));
  }
  if (isJsonObject(value)) {
    const entries = Object.entries(value);
    if (entries.length === 0) return SCHEMAS.has(around) ? [] : [place];
    return entries.flatMap(([name, one]) => {
      const inside = `${place}/${name}`;
      // a name in a map is whatever somebody called it
      if (MAPS.has(around)) return empties(one, inside, 'items');
      if (DATA.has(name) || name.startsWith('x-')) return one === null ? [inside] : [];
      return empties(one, inside, name);
    });
  }
  const isOff = value === false && around !== 'additionalProperties';
  return value === null || value === '' || isOff ? [place] : [];
}

test('no OpenAPI document has an empty list, map or text, null or false where these are left out', async () => {
  const documents = await openApiDocuments();
  assert.ok(documents.has(`/openapi/v3/apis/${ODD_GROUP}/v1`));
  assert.deepEqual([...documents].flatMap(([path, document]) => empties(document, path, '')).slice(0, 40), []);
});
