import { type Definition, type Kind, kindsOf, type Registry, readDefinition } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import type { Gateway } from '../port.ts';

export const DEFINITIONS_PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
/** definitions are large */
const PAGE = 50;

/** A definition without its schemas, which the controller does not need, and the kinds that it defines. */
export interface KnownDefinition {
  readonly definition: Definition;
  readonly kinds: readonly Kind[];
}

/** Lists all definitions, page by page. */
export async function listDefinitions(gateway: Pick<Gateway, 'send'>): Promise<JsonObject[]> {
  const objects: JsonObject[] = [];
  for (let next = ''; ; ) {
    const query = `?limit=${PAGE}${next === '' ? '' : `&continue=${encodeURIComponent(next)}`}`;
    const { code, body } = await gateway.send('GET', DEFINITIONS_PATH + query);
    if (code !== 200) throw new Error(`the gateway answered ${code} to a list of definitions`);
    objects.push(...((body.items ?? []) as JsonObject[]));
    next = (body.metadata as { continue?: string }).continue ?? '';
    if (next === '') return objects;
  }
}

/** `builtIn`: the built-in kinds, of which the scale subresource is taken. */
export function knownOf(object: JsonObject, builtIn: Registry): KnownDefinition {
  const read = readDefinition(object);
  const versions = read.versions.map(({ schema: _, additionalPrinterColumns: __, ...version }) => version);
  const definition = { ...read, versions };
  const scale = builtIn.find('apps', 'v1', 'deployments')?.entry.subresources.scale?.entry;
  return { definition, kinds: scale === undefined ? [] : kindsOf(definition, scale) };
}

export function nameOf({ metadata }: JsonObject): string {
  return (metadata as { name: string }).name;
}

export function createdAt({ metadata }: JsonObject): number {
  return Date.parse((metadata as { creationTimestamp: string }).creationTimestamp);
}
