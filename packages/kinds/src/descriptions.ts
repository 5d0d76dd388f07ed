import { readFile } from 'node:fs/promises';

/** By field what is said of it, and by the empty name what is said of the type itself. */
export type TypeWords = Readonly<Record<string, string>>;

type IdentityWords = Readonly<Record<'apiVersion' | 'kind' | 'metadata', string>>;

/** What is said of the fields that every custom object has, and every list of them. */
export interface CustomWords {
  readonly object: IdentityWords;
  readonly list: IdentityWords;
}

/** What is said of parameters, by their names; where it depends on it, by `ACTION.NAME` or `KIND.NAME`. */
export interface ParameterWords {
  readonly path: TypeWords;
  readonly query: TypeWords;
}

/** The packages of Kubernetes' types. Custom kinds may be called so as well, but have no descriptions in a file. */
const PACKAGE = /^io\.k8s(\.[\w-]+)+$/;
const NOTHING: Readonly<Record<string, TypeWords>> = {};

/**
 * The words in which Kubernetes describes its types and parameters, as `npm run generate:kinds` copies them.
 *
 * Invariant: they are read from files when they are first asked for, and kept only as long as this object is. It is made
 * for one document, so a process that makes none never reads them.
 */
export class Descriptions {
  readonly #packages = new Map<string, Promise<Readonly<Record<string, TypeWords>>>>();

  /** Of a type by its full name, such as `io.k8s.api.core.v1.PodSpec`. */
  async type(name: string): Promise<TypeWords> {
    const dot = name.lastIndexOf('.');
    const home = name.slice(0, dot);
    let types = this.#packages.get(home);
    if (types === undefined) {
      types = PACKAGE.test(home) ? readPackage(home) : Promise.resolve(NOTHING);
      this.#packages.set(home, types);
    }
    const found = await types;
    const type = name.slice(dot + 1);
    return Object.hasOwn(found, type) ? (found[type] as TypeWords) : {};
  }

  parameters(): Promise<ParameterWords> {
    return read<ParameterWords>('parameters');
  }

  customKinds(): Promise<CustomWords> {
    return read<CustomWords>('custom-kinds');
  }
}

async function readPackage(name: string): Promise<Readonly<Record<string, TypeWords>>> {
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
