import { type TestWebhooks, until } from '@tidegate/testkit';
import type { Client } from './client.ts';

export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const text = { type: 'string' };
const number = { type: 'integer' };

/** v1 has a host and a port, v2 an address; the converter of the tests converts between them. */
const FIELDS = {
  v1: { host: { ...text, maxLength: 20 }, port: number, replicas: number, mode: { ...text, default: 'plain' } },
  v2: { address: { ...text, maxLength: 20 }, replicas: number, mode: text },
};
const RULES = {
  v1: { rule: '!has(self.port) || self.port < 9000', message: 'the port is below 9000' },
  v2: { rule: "!has(self.address) || self.address.contains(':')", message: 'the address has a port' },
};
const SHOWN = { v1: '.spec.host', v2: '.spec.address' };

function version(name: 'v1' | 'v2', storage: boolean) {
  const status = { type: 'object', properties: { phase: text, replicas: number } };
  const spec = { type: 'object', properties: FIELDS[name], 'x-kubernetes-validations': [RULES[name]] };
  return {
    name,
    served: true,
    storage,
    schema: { openAPIV3Schema: { type: 'object', properties: { spec, status } } },
    subresources: {
      status: {},
      scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
    },
    selectableFields: [{ jsonPath: SHOWN[name] }],
    additionalPrinterColumns: [{ name: 'Shown', type: 'string', jsonPath: SHOWN[name] }],
  };
}

/** A kind with two versions, stored as v1, with a conversion webhook. */
export interface ConvertedKind {
  readonly name: string;
  /** the path of the collection in a version */
  path(version: 'v1' | 'v2'): string;
  /** An object of the kind; `wish` selects the behaviour of the converter. */
  object(version: 'v1' | 'v2', name: string, spec: object, wish?: string): object;
  /** The conversions since the last call: target version and number of objects. */
  calls(): Array<[to: string, count: number]>;
}

export async function defineConverted(client: Client, webhooks: TestWebhooks, plural: string): Promise<ConvertedKind> {
  const group = 'conversion.example.com';
  const kind = `${plural.charAt(0).toUpperCase()}${plural.slice(1, -1)}`;
  const clientConfig = { url: `${webhooks.url}/convert`, caBundle: webhooks.caBundle };
  const definition = {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [version('v1', true), version('v2', false)],
      conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } },
    },
  };
  const made = await client.request('POST', DEFINITIONS, { body: definition });
  if (made.code !== 201) throw new Error(made.text);
  const path = (name: 'v1' | 'v2') => `/apis/${group}/${name}/namespaces/default/${plural}`;
  // a read of one object, because a list would make the gateway mirror the collection
  const isServed = async () => (await client.get(`${path('v2')}/none`)).json?.details?.name === 'none';
  await until('the kind to be served', isServed);
  return {
    name: definition.metadata.name,
    path,
    object: (name, own, spec, wish) => ({
      apiVersion: `${group}/${name}`,
      kind,
      metadata: { name: own, ...(wish === undefined ? {} : { annotations: { convert: wish } }) },
      spec,
    }),
    calls: () =>
      webhooks
        .reviews()
        .filter(({ desiredAPIVersion }) => desiredAPIVersion !== undefined)
        .map(({ desiredAPIVersion, objects }) => [desiredAPIVersion.split('/')[1], objects.length]),
  };
}
