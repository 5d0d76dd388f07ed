import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A served resource, with its subresources. */
export interface ResourceFacts {
  readonly resource: string;
  readonly kind: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly short?: readonly string[];
  readonly categories?: readonly string[];
  /** only if they differ from the eight usual verbs */
  readonly verbs?: readonly string[];
  readonly subresources?: Readonly<Record<string, SubresourceFacts>>;
}

interface SubresourceFacts {
  readonly verbs: readonly string[];
  /** only if it differs from the kind of the resource */
  readonly kind?: string;
  readonly group?: string;
  readonly version?: string;
}

export interface GroupVersionFacts {
  readonly group: string;
  readonly version: string;
  readonly resources: ResourceFacts[];
}

interface Listed {
  name: string;
  kind: string;
  singularName: string;
  namespaced: boolean;
  verbs: string[];
  shortNames?: string[];
  categories?: string[];
  group?: string;
  version?: string;
}

const STABLE = /^v\d+$/;
/** Beta versions that --runtime-config enables. */
export const BETA = ['coordination.k8s.io/v1beta1'];
const USUAL_VERBS = 'create,delete,deletecollection,get,list,patch,update,watch';

/** All stable versions of all groups, and some beta versions, in the order of discovery, preferred versions first. */
export function readDiscoveryFacts(folder: string): GroupVersionFacts[] {
  const read = <T>(file: string): T => JSON.parse(readFileSync(join(folder, file), 'utf8')) as T;
  const { groups } = read<{ groups: Array<{ name: string; versions: Array<{ version: string }> }> }>('apis.json');
  const facts: GroupVersionFacts[] = [
    { group: '', version: 'v1', resources: resourcesOf(read<{ resources: Listed[] }>('api__v1.json').resources) },
  ];
  for (const { name: group, versions } of groups) {
    for (const { version } of versions) {
      const file = `apis__${group}__${version}.json`;
      if (!STABLE.test(version) && !BETA.includes(`${group}/${version}`)) continue;
      if (!existsSync(join(folder, file))) continue;
      facts.push({ group, version, resources: resourcesOf(read<{ resources: Listed[] }>(file).resources) });
    }
  }
  return facts;
}

function resourcesOf(listed: readonly Listed[]): ResourceFacts[] {
  return listed
    .filter(({ name }) => !name.includes('/'))
    .map((main) => {
      const below = listed.filter(({ name }) => name.startsWith(`${main.name}/`));
      return {
        resource: main.name,
        kind: main.kind,
        singular: main.singularName,
        namespaced: main.namespaced,
        ...(main.shortNames === undefined ? {} : { short: main.shortNames }),
        ...(main.categories === undefined ? {} : { categories: main.categories }),
        ...(main.verbs.join() === USUAL_VERBS ? {} : { verbs: main.verbs }),
        ...(below.length === 0 ? {} : { subresources: Object.fromEntries(below.map((sub) => subresource(main, sub))) }),
      };
    });
}

function subresource(main: Listed, { name, kind, group, version, verbs }: Listed): [string, SubresourceFacts] {
  return [
    name.slice(main.name.length + 1),
    {
      verbs,
      ...(kind === main.kind ? {} : { kind }),
      ...(group === undefined || kind === main.kind ? {} : { group }),
      ...(version === undefined || kind === main.kind ? {} : { version }),
    },
  ];
}
