import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Message, readTextProto } from './textproto.ts';

/**
 * Converts the published conformance cases of CEL to facts: an expression, its variables, and its result. Cases with
 * Protobuf messages are left out, because Kubernetes does not have them.
 *
 *   node bin/run.js scripts/record-cel-cases/main.ts FOLDER
 *
 * FOLDER is `tests/simple/testdata` of the Go module `cel.dev/expr`.
 */
type Fact = null | boolean | string | Fact[];

interface Case {
  readonly name: string;
  readonly expression: string;
  readonly variables?: Record<string, Fact>;
  readonly types?: Record<string, string>;
  readonly value?: Fact;
  readonly isUnchecked?: boolean;
  readonly isWrong?: boolean;
}

const FILES = [
  'basic',
  'bindings_ext',
  'block_ext',
  'comparisons',
  'conversions',
  'fields',
  'fp_math',
  'integer_math',
  'lists',
  'logic',
  'macros',
  'macros2',
  'optionals',
  'parse',
  'plumbing',
  'string',
  'string_ext',
  'timestamps',
  'type_deduction',
];
/** Cases that need messages, or functions that Kubernetes does not have. */
const LEFT_OUT =
  /TestAllTypes|google\.protobuf\.|proto2|proto3|cel\.block|cel\.index|cel\.iterVar|math\.|base64|\.reverse\(\)\s*==\s*'|[a-z]\{/;

function text(value: Message | string | undefined): string {
  return typeof value === 'string' ? value.replace(/^"/, '') : '';
}

const utf8 = (value: Message | string | undefined): string => Buffer.from(text(value), 'latin1').toString();

/** Returns undefined for a message. */
function fact(value: Message): Fact | undefined {
  const [[kind = '', [content] = []] = []] = Object.entries(value);
  if (kind === 'null_value') return null;
  if (kind === 'bool_value') return content === 'true';
  if (kind === 'string_value') return ['string', utf8(content)];
  if (kind === 'bytes_value') return ['bytes', Buffer.from(text(content), 'latin1').toString('hex')];
  if (kind === 'type_value') return ['type', utf8(content)];
  const scalar = { int64_value: 'int', uint64_value: 'uint', double_value: 'double' }[kind];
  if (scalar !== undefined) return [scalar, text(content)];
  if (typeof content !== 'object') return undefined;
  if (kind === 'list_value')
    return complete(
      'list',
      (content.values ?? []).map((one) => fact(one as Message)),
    );
  if (kind === 'map_value') {
    const entries = (content.entries ?? []) as Message[];
    return complete(
      'map',
      entries.flatMap(({ key, value: held }) => [fact(key?.[0] as Message), fact(held?.[0] as Message)]),
    );
  }
  if (kind !== 'object_value') return undefined;
  const [[type = '', [inner] = []] = []] = Object.entries(content);
  const { seconds, nanos } = inner as Message;
  const amount = [text(seconds?.[0]) || '0', text(nanos?.[0]) || '0'];
  if (type.endsWith('google.protobuf.Duration]')) return ['duration', ...amount];
  return type.endsWith('google.protobuf.Timestamp]') ? ['timestamp', ...amount] : undefined;
}

function complete(kind: string, facts: ReadonlyArray<Fact | undefined>): Fact | undefined {
  return facts.some((one) => one === undefined) ? undefined : [kind, ...(facts as Fact[])];
}

function typeOf(declaration: Message): string | undefined {
  const [ident] = (declaration.ident ?? []) as Message[];
  const [type] = (ident?.type ?? []) as Message[];
  return type === undefined ? undefined : typeText(type);
}

function typeText(type: Message): string | undefined {
  const [[kind = '', [content] = []] = []] = Object.entries(type);
  if (kind === 'primitive') return String(content).toLowerCase().replace('64', '');
  if (kind === 'dyn') return 'dyn';
  if (typeof content !== 'object') return undefined;
  const inner = (name: string) => typeText((content[name]?.[0] ?? {}) as Message);
  if (kind === 'list_type') return `list(${inner('elem_type')})`;
  return kind === 'map_type' ? `map(${inner('key_type')}, ${inner('value_type')})` : undefined;
}

function caseOf(test: Message, section: string): Case | undefined {
  const expression = utf8(test.expr?.[0]);
  const name = `${section}/${utf8(test.name?.[0])}`;
  if (test.container !== undefined || LEFT_OUT.test(expression) || test.typed_result !== undefined) return undefined;
  if (test.disable_macros !== undefined || test.unknown !== undefined || test.check_only !== undefined)
    return undefined;
  const variables = Object.fromEntries(
    ((test.bindings ?? []) as Message[]).map(({ key, value }) => {
      const [held] = ((value?.[0] ?? {}) as Message).value ?? [];
      return [utf8(key?.[0]), fact(held as Message)];
    }),
  );
  const types = Object.fromEntries(
    ((test.type_env ?? []) as Message[]).map((one) => [utf8(one.name?.[0]), typeOf(one)]),
  );
  if ([...Object.values(variables), ...Object.values(types)].includes(undefined)) return undefined;
  const value = test.value === undefined ? true : fact(test.value[0] as Message);
  if (value === undefined) return undefined;
  return {
    name,
    expression,
    ...(Object.keys(variables).length === 0 ? {} : { variables: variables as Record<string, Fact> }),
    ...(Object.keys(types).length === 0 ? {} : { types: types as Record<string, string> }),
    ...(test.eval_error === undefined ? { value } : { isWrong: true }),
    ...(test.disable_check === undefined ? {} : { isUnchecked: true }),
  };
}

const [folder = ''] = process.argv.slice(2);
const known = new Set(readdirSync(folder));
const cases = FILES.filter((file) => known.has(`${file}.textproto`)).flatMap((file) => {
  const read = readTextProto(readFileSync(join(folder, `${file}.textproto`), 'utf8'));
  return ((read.section ?? []) as Message[]).flatMap((section) =>
    ((section.test ?? []) as Message[]).flatMap((test) => caseOf(test, `${file}/${utf8(section.name?.[0])}`) ?? []),
  );
});
const lines = cases.map((one) => JSON.stringify(one)).join(',\n');
writeFileSync('packages/cel/src/testing/published.json', `[\n${lines}\n]\n`);
console.log(`${cases.length} cases`);
