import { readFileSync } from 'node:fs';

interface SubresourceFacts {
  readonly verbs: readonly string[];
  /** what it takes and answers, where that is not the resource's own kind */
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
  /** where they are not the eight usual ones */
  readonly verbs?: readonly string[];
  readonly subresources?: Readonly<Record<string, SubresourceFacts>>;
}

export interface GroupVersionFacts {
  readonly group: string;
  readonly version: string;
  /** the file that has its types */
  readonly types: string;
  readonly resources: readonly ResourceFacts[];
}

/** What every group version has, in the order in which discovery tells them, preferred versions first. */
export function readResources(): readonly GroupVersionFacts[] {
  const file = new URL('../../facts/resources.json', import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as GroupVersionFacts[];
}
