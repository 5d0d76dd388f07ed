import { type Answer, type JsonRecord, type Server, type Verdict, verdictOf } from './server.ts';

const GROUP = 'rules.example.com';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const COLLECTION = `/apis/${GROUP}/v1/things`;

export function definitionOf(schema: JsonRecord): JsonRecord {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `things.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Cluster',
      names: { plural: 'things', kind: 'Thing' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schema },
          subresources: { status: {} },
        },
      ],
    },
  };
}

/** Creates and deletes a definition with rules, and objects of its kind. The kind is served when `make` resolves. */
export class Things {
  readonly #server: Server;
  #count = 0;

  constructor(server: Server) {
    this.#server = server;
  }

  async make(schema: JsonRecord): Promise<Verdict> {
    const answer = await this.#server.send('POST', DEFINITIONS, definitionOf(schema));
    if (answer.code === 201) {
      await this.#server.until('GET', `${DEFINITIONS}/things.${GROUP}`, isEstablished);
      await this.#server.until('GET', COLLECTION, ({ code }) => code === 200);
    }
    return verdictOf(answer);
  }

  async change(schema: JsonRecord): Promise<Verdict> {
    const path = `${DEFINITIONS}/things.${GROUP}`;
    const { body } = await this.#server.send('GET', path);
    const { resourceVersion } = body.metadata as { resourceVersion: string };
    const { spec } = definitionOf(schema);
    const answer = await this.#server.send('PUT', path, {
      ...definitionOf(schema),
      metadata: { name: `things.${GROUP}`, resourceVersion },
      spec: spec as JsonRecord,
    });
    // a changed schema takes effect a moment later, and nothing shows when
    await new Promise((resolve) => setTimeout(resolve, 3000));
    return verdictOf(answer);
  }

  async create(object: JsonRecord): Promise<Verdict> {
    this.#count++;
    return verdictOf(await this.#server.send('POST', COLLECTION, this.#whole(object)));
  }

  /** Replaces the object of the last `create`. */
  async replace(object: JsonRecord, part = ''): Promise<Verdict> {
    const path = `${COLLECTION}/${this.#name}`;
    const { body } = await this.#server.send('GET', path);
    const { resourceVersion } = body.metadata as { resourceVersion: string };
    const whole = this.#whole(object);
    const metadata = { ...(whole.metadata as JsonRecord), resourceVersion };
    return verdictOf(await this.#server.send('PUT', `${path}${part}`, { ...whole, metadata }));
  }

  async remove(): Promise<void> {
    const path = `${DEFINITIONS}/things.${GROUP}`;
    await this.#server.send('DELETE', path);
    await this.#server.until('GET', path, ({ code }) => code === 404);
    await this.#server.until('GET', COLLECTION, ({ code }) => code === 404);
  }

  get #name(): string {
    return `thing-${this.#count}`;
  }

  #whole(object: JsonRecord): JsonRecord {
    return { apiVersion: `${GROUP}/v1`, kind: 'Thing', metadata: { name: this.#name }, ...object };
  }
}

function isEstablished({ body }: Answer): boolean {
  const { conditions } = (body.status ?? {}) as unknown as { conditions?: Array<{ type: string; status: string }> };
  return conditions?.some(({ type, status }) => type === 'Established' && status === 'True') ?? false;
}
