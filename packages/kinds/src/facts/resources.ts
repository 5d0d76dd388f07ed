import { readFileSync } from 'node:fs';

interface SubresourceFacts {
  readonly verbs: readonly string[];
  /** the kind of its requests and responses, when that is not the kind of the resource */
  readonly kind?: string;
  readonly group?: string;
  readonly version?: string;
}

interface ResourceFacts {
  readonly resource: string;
  readonly kind: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly short?: readonly string[];
  readonly categories?: readonly string[];
  /** the verbs, when they are not the usual eight */
  readonly verbs?: readonly string[];
  readonly subresources?: Readonly<Record<string, SubresourceFacts>>;
}

export interface GroupVersionFacts {
  readonly group: string;
  readonly version: string;
  /** the file with its types */
  readonly types: string;
  readonly resources: readonly ResourceFacts[];
}

let known: readonly GroupVersionFacts[] | undefined;

/** The resources of all group versions, in the order of discovery, preferred versions first; read at the first use. */
export function readResources(): readonly GroupVersionFacts[] {
  const file = new URL('../../facts/resources.json', import.meta.url);
  known ??= JSON.parse(readFileSync(file, 'utf8')) as GroupVersionFacts[];
  return known;
}
