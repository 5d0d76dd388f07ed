import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The parts of a published OpenAPI schema that the generator uses. */
export interface PublishedSchema {
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, PublishedSchema>>;
  readonly required?: readonly string[];
  readonly items?: PublishedSchema;
  readonly additionalProperties?: PublishedSchema;
  readonly allOf?: readonly PublishedSchema[];
  readonly $ref?: string;
  readonly default?: unknown;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular';
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
  readonly 'x-kubernetes-group-version-kind'?: ReadonlyArray<{ group: string; version: string; kind: string }>;
}

/** A parameter of a published operation. */
interface PublishedParameter {
  readonly in: 'path' | 'query' | 'body';
  readonly name: string;
  readonly description?: string;
}

/** An operation on a kind. */
export interface PublishedOperation {
  readonly action: string;
  readonly kind: string;
  readonly parameters: readonly PublishedParameter[];
}

interface PublishedDocument {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, PublishedSchema>> };
}

/** Every named schema of the published OpenAPI documents: `io.k8s.api.core.v1.PodSpec`. */
export function readPublishedSchemas(folder: string): Map<string, PublishedSchema> {
  const schemas = new Map<string, PublishedSchema>();
  for (const { components } of documentsIn(folder)) {
    for (const [name, schema] of Object.entries(components?.schemas ?? {})) schemas.set(name, schema);
  }
  return schemas;
}

/** Every operation on a kind of the published OpenAPI documents. */
export function readPublishedOperations(folder: string): PublishedOperation[] {
  return documentsIn(folder).flatMap(({ paths = {} }) =>
    Object.values(paths).flatMap((item) => {
      const shared = (item.parameters ?? []) as PublishedParameter[];
      return Object.values(item).flatMap((operation) => {
        const { parameters = [], ...rest } = operation as Record<string, unknown>;
        const { kind } = (rest['x-kubernetes-group-version-kind'] ?? {}) as { kind?: string };
        if (kind === undefined) return [];
        const own = parameters as PublishedParameter[];
        return [{ kind, action: String(rest['x-kubernetes-action']), parameters: [...shared, ...own] }];
      });
    }),
  );
}

function documentsIn(folder: string): PublishedDocument[] {
  const files = globSync('*_openapi.json', { cwd: folder }).sort();
  return files.map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as PublishedDocument);
}

/** The named schema that a field refers to, directly or through allOf. */
export function referenceOf(schema: PublishedSchema): string | undefined {
  const $ref = schema.$ref ?? schema.allOf?.[0]?.$ref;
  return $ref?.slice('#/components/schemas/'.length);
}
