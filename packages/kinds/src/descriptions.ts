import { readFile } from 'node:fs/promises';

/** The descriptions of fields by name, and of the type itself under the empty name. */
export type TypeDescriptions = Readonly<Record<string, string>>;

type IdentityDescriptions = Readonly<Record<'apiVersion' | 'kind' | 'metadata', string>>;

/** The descriptions of the fields that every custom object and every list of them has. */
export interface CustomDescriptions {
  readonly object: IdentityDescriptions;
  readonly list: IdentityDescriptions;
}

/** The descriptions of parameters by name; for some parameters by `ACTION.NAME` or `KIND.NAME`. */
export interface ParameterDescriptions {
  readonly path: TypeDescriptions;
  readonly query: TypeDescriptions;
}

/**
 * The packages of Kubernetes' types. The names of custom kinds can also begin like this, but have no descriptions in
 * a file.
 */
const PACKAGE = /^io\.k8s(\.[\w-]+)+$/;
const NOTHING: Readonly<Record<string, TypeDescriptions>> = {};

/**
 * The descriptions of types and parameters by Kubernetes, as `npm run generate:kinds` copies them.
 *
 * Invariant: the files are read at the first use, and their content is kept only as long as this object. It is made
 * for one document, so a process without documents never reads them.
 */
export class Descriptions {
  readonly #packages = new Map<string, Promise<Readonly<Record<string, TypeDescriptions>>>>();

  /** The descriptions of a type by its full name, such as `io.k8s.api.core.v1.PodSpec`. */
  async type(name: string): Promise<TypeDescriptions> {
    const dot = name.lastIndexOf('.');
    const packageName = name.slice(0, dot);
    let types = this.#packages.get(packageName);
    if (types === undefined) {
      types = PACKAGE.test(packageName) ? readPackage(packageName) : Promise.resolve(NOTHING);
      this.#packages.set(packageName, types);
    }
    const found = await types;
    const type = name.slice(dot + 1);
    return Object.hasOwn(found, type) ? (found[type] as TypeDescriptions) : {};
  }

  parameters(): Promise<ParameterDescriptions> {
    return read<ParameterDescriptions>('parameters');
  }

  customKinds(): Promise<CustomDescriptions> {
    return read<CustomDescriptions>('custom-kinds');
  }
}

async function readPackage(name: string): Promise<Readonly<Record<string, TypeDescriptions>>> {
  try {
    return await read(name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return NOTHING;
    throw error;
  }
}

async function read<T>(name: string): Promise<T> {
  return JSON.parse(await readFile(new URL(`../descriptions/${name}.json`, import.meta.url), 'utf8')) as T;
}
