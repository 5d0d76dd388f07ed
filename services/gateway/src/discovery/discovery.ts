import type { Registry } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import { openApiDocument, openApiIndex } from './open-api.ts';
import { aggregated, coreVersions, groupList, oneGroup, resourceList } from './resources.ts';
import { version } from './version.ts';

export interface Document {
  contentType: string;
  value: JsonObject;
}

const JSON_TYPE = 'application/json';
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** What is served here, at the paths where clients look for it; undefined at every other path. */
export function discoveryDocument(registry: Registry, path: string, accept: string | undefined): Document | undefined {
  const clean = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  const parts = clean.slice(1).split('/');
  if (clean === '/version') return { contentType: JSON_TYPE, value: { ...version } };
  if ((clean === '/api' || clean === '/apis') && wantsAggregated(accept)) {
    return { contentType: AGGREGATED, value: aggregated(registry, clean === '/api') };
  }
  const value = legacyDocument(registry, clean, parts);
  return value === undefined ? undefined : { contentType: JSON_TYPE, value };
}

function legacyDocument(registry: Registry, path: string, parts: readonly string[]): JsonObject | undefined {
  const [prefix, second = '', third = ''] = parts;
  if (path === '/api') return coreVersions();
  if (path === '/apis') return groupList(registry);
  if (path === '/openapi/v3') return openApiIndex(registry);
  if (path.startsWith('/openapi/v3/')) return openApiDocument(registry, path.slice('/openapi/v3/'.length));
  if (prefix === 'api' && parts.length === 2) return resourceList(registry, '', second);
  if (prefix === 'apis' && parts.length === 2) return oneGroup(registry, second);
  if (prefix === 'apis' && parts.length === 3) return resourceList(registry, second, third);
  return undefined;
}

function wantsAggregated(accept: string | undefined): boolean {
  return /application\/json;[^,]*as=APIGroupDiscoveryList/.test(accept ?? '') && /v=v2(;|,|$)/.test(accept ?? '');
}
