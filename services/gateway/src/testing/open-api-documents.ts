import { readFeatureGates } from '@tidegate/feature-gates';
import { builtInRegistry, kindsOf, readDefinition } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import { oddDefinition } from '@tidegate/testkit';
import { Negotiator } from '../codec/negotiate.ts';
import { Discovery } from '../discovery/discovery.ts';

export const ODD_GROUP = 'odd.example.com';

/** All OpenAPI documents of a server with all built-in kinds and one custom kind with an unusual schema. */
export async function openApiDocuments(): Promise<Map<string, JsonObject>> {
  const registry = builtInRegistry();
  const scale = registry.find('apps', 'v1', 'deployments')?.entry.subresources.scale?.entry;
  if (scale === undefined) throw new Error('deployments have no scale');
  const definition = oddDefinition(ODD_GROUP) as { spec: { names: JsonObject } };
  const established = { type: 'Established', status: 'True', reason: '', message: '' };
  const status = { acceptedNames: definition.spec.names, conditions: [established] };
  registry.setCustom(kindsOf(readDefinition({ ...definition, status } as unknown as JsonObject), scale));
  const gates = readFeatureGates('');
  const discovery = new Discovery(registry, { gates, negotiator: new Negotiator(gates) });
  const read = async (path: string): Promise<JsonObject> => {
    const document = await discovery.document(path, undefined);
    if (document === undefined) throw new Error(`there is nothing at ${path}`);
    return JSON.parse(document.body.toString('utf8')) as JsonObject;
  };
  const documents = new Map([['/openapi/v2', await read('/openapi/v2')]]);
  for (const place of Object.keys((await read('/openapi/v3')).paths as JsonObject)) {
    documents.set(`/openapi/v3/${place}`, await read(`/openapi/v3/${place}`));
  }
  return documents;
}
