import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The parts of a published OpenAPI schema that are facts; what is said in prose is not read. */
export interface PublishedSchema {
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

/** Every named schema of the published OpenAPI documents: `io.k8s.api.core.v1.PodSpec`. */
export function readPublishedSchemas(folder: string): Map<string, PublishedSchema> {
  const schemas = new Map<string, PublishedSchema>();
  for (const file of globSync('*_openapi.json', { cwd: folder }).sort()) {
    const document = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {
      components?: { schemas?: Record<string, PublishedSchema> };
    };
    for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) schemas.set(name, schema);
  }
  return schemas;
}

/** The named schema that a field refers to, directly or through allOf. */
export function referenceOf(schema: PublishedSchema): string | undefined {
  const $ref = schema.$ref ?? schema.allOf?.[0]?.$ref;
  return $ref?.slice('#/components/schemas/'.length);
}
