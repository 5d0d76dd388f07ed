import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/**
 * Facts that are only in the Go sources: which fields are pointers, so that absent and zero differ, which fields are
 * left out when they are zero, and the values of enumerations.
 */
export interface GoFacts {
  /** `core.v1/PodSpec.hostUsers` */
  readonly pointers: ReadonlySet<string>;
  /** by the same names: fields that are left out of JSON when they are zero */
  readonly omitted: ReadonlySet<string>;
  /** by the same names: structs that are left out when they are zero; others are always written, or null */
  readonly omittedStructs: ReadonlySet<string>;
  /** by the same names */
  readonly enums: ReadonlyMap<string, readonly string[]>;
  /** by the same names: the description of such a field and its values */
  readonly enumDescriptions: ReadonlyMap<string, string>;
}

export function readGoFacts(packageFolders: readonly string[], openApiSource: string): GoFacts {
  const found: Found = { pointers: new Set(), omitted: new Set(), omittedStructs: new Set() };
  for (const folder of packageFolders) {
    const place = folder.split('/').slice(-2).join('.');
    for (const file of globSync('*.go', { cwd: folder })) {
      if (!/_test\.go$|^zz_|generated/.test(basename(file))) {
        readStructs(readFileSync(join(folder, file), 'utf8'), place, found);
      }
    }
  }
  return { ...found, ...readEnums(readFileSync(openApiSource, 'utf8')) };
}

const FIELD_OF_STRUCT = /^\s+\w+\s+(\*?)\S+\s+`[^`]*json:"([^",]+)(,omitempty)?(,omitzero)?/gm;

type Found = Record<'pointers' | 'omitted' | 'omittedStructs', Set<string>>;

function readStructs(text: string, place: string, found: Found): void {
  for (const [, name, body = ''] of text.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) {
    for (const [, star, field, omit, omitStruct] of body.matchAll(FIELD_OF_STRUCT)) {
      if (star !== '') found.pointers.add(`${place}/${name}.${field}`);
      if (omit !== undefined) found.omitted.add(`${place}/${name}.${field}`);
      if (omitStruct !== undefined) found.omittedStructs.add(`${place}/${name}.${field}`);
    }
  }
}

const FUNCTION = /^func schema_\w*?_(\w+?)_(v\d+\w*)_(\w+)\(ref common\.ReferenceCallback\)/;
const FIELD = /^\t{5}"([^"]+)": \{/;
const DESCRIPTION = /^\t{7}Description: +(".*"),/;
const ENUM = /^\t{7}Enum:\s*\[\]interface\{\}\{(.*)\},/;

function readEnums(text: string): Pick<GoFacts, 'enums' | 'enumDescriptions'> {
  const enums = new Map<string, string[]>();
  const enumDescriptions = new Map<string, string>();
  let type = '';
  let field = '';
  let description = '';
  for (const line of text.split('\n')) {
    const [, group, version, name] = FUNCTION.exec(line) ?? [];
    if (name !== undefined) type = `${group?.split('_').at(-1)}.${version}/${name}`;
    else if (FIELD.test(line)) {
      field = FIELD.exec(line)?.[1] ?? '';
      description = '';
    } else {
      description = DESCRIPTION.exec(line)?.[1] ?? description;
      const values = ENUM.exec(line)?.[1];
      if (values === undefined) continue;
      enums.set(`${type}.${field}`, JSON.parse(`[${values}]`) as string[]);
      if (description !== '') enumDescriptions.set(`${type}.${field}`, JSON.parse(description) as string);
    }
  }
  return { enums, enumDescriptions };
}
