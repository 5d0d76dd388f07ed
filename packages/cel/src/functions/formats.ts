import { opaqueType } from '../types/type.ts';
import { ArrayList } from '../values/collections.ts';
import { parseDate, parseTimestamp } from '../values/time.ts';
import { OpaqueValue, Optional, type Value } from '../values/value.ts';
import { type Overload, overload } from './overload.ts';

type Problems = (text: string) => string[];

interface Rule {
  readonly problems: Problems;
  /** the size of the longest pattern of the rule */
  readonly patternSize: number;
}

/** A named format of Kubernetes. */
class NamedFormat extends OpaqueValue {
  override readonly type = opaqueType('kubernetes.NamedFormat');
  readonly name: string;
  readonly rule: Rule;

  constructor(name: string, rule: Rule) {
    super();
    this.name = name;
    this.rule = rule;
  }

  override equals(other: OpaqueValue): boolean {
    return other instanceof NamedFormat && other.name === this.name;
  }
}

export function sizeOfFormat(format: Value | undefined): number {
  return format instanceof NamedFormat ? format.rule.patternSize : 0;
}

interface NameRule {
  readonly most: number;
  readonly pattern: RegExp;
  readonly words: string;
}

const LABEL: NameRule = {
  most: 63,
  pattern: /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/,
  words:
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
};
const OLD_LABEL: NameRule = {
  most: 63,
  pattern: /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/,
  words:
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
};
const SUBDOMAIN: NameRule = {
  most: 253,
  pattern: /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/,
  words:
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
};
const LABEL_VALUE: NameRule = {
  most: 63,
  pattern: /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/,
  words:
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
};
const NAME_PART: NameRule = {
  most: 63,
  pattern: /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/,
  words:
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
};

function named({ most, pattern, words }: NameRule): Problems {
  return (text) => [
    ...(Buffer.byteLength(text) > most ? [`must be no more than ${most} ${most === 1 ? 'byte' : 'bytes'}`] : []),
    ...(pattern.test(text) ? [] : [words]),
  ];
}

/** A prefix of a generated name may end with a dash. */
const prefix =
  (rule: NameRule): Problems =>
  (text) =>
    named(rule)(text.length > 1 && text.endsWith('-') ? `${text.slice(0, -1)}a` : text);

function qualified(text: string): string[] {
  const parts = text.split('/');
  if (parts.length > 2) {
    return [
      "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
    ];
  }
  const name = parts.at(-1) ?? '';
  const domain = parts.length === 2 ? parts[0] : undefined;
  const problems: string[] = [];
  if (domain === '') problems.push('prefix part must be non-empty');
  else if (domain !== undefined) problems.push(...named(SUBDOMAIN)(domain).map((words) => `prefix part ${words}`));
  if (name === '') problems.push('name part must be non-empty');
  else if (name.length > 63) problems.push('name part must be no more than 63 bytes');
  if (!NAME_PART.pattern.test(name)) problems.push(NAME_PART.words);
  return problems;
}

const problemUnless =
  (isValid: (text: string) => boolean, words: string): Problems =>
  (text) =>
    isValid(text) ? [] : [words];
const isUri = (text: string): boolean => text.startsWith('/') || URL.canParse(text);
const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const RULES: Readonly<Record<string, Rule>> = {
  dns1123Label: { problems: named(LABEL), patternSize: 30 },
  dns1123Subdomain: { problems: named(SUBDOMAIN), patternSize: 60 },
  dns1035Label: { problems: named(OLD_LABEL), patternSize: 30 },
  qualifiedName: { problems: qualified, patternSize: 60 },
  dns1123LabelPrefix: { problems: prefix(LABEL), patternSize: 30 },
  dns1123SubdomainPrefix: { problems: prefix(SUBDOMAIN), patternSize: 60 },
  dns1035LabelPrefix: { problems: prefix(OLD_LABEL), patternSize: 30 },
  labelValue: { problems: named(LABEL_VALUE), patternSize: 40 },
  uri: {
    problems: (text) => (isUri(text) ? [] : [`parse ${JSON.stringify(text)}: invalid URI for request`]),
    patternSize: 1100,
  },
  uuid: { problems: problemUnless((text) => UUID.test(text), 'does not match the UUID format'), patternSize: 90 },
  byte: { problems: problemUnless((text) => BASE64.test(text), 'invalid base64'), patternSize: 84 },
  date: { problems: problemUnless((text) => parseDate(text) !== undefined, 'invalid date'), patternSize: 103 },
  datetime: {
    problems: problemUnless((text) => parseTimestamp(text) !== undefined, 'invalid datetime'),
    patternSize: 103,
  },
};

const known = new Map(Object.entries(RULES).map(([name, rule]) => [name, new NamedFormat(name, rule)]));
const F = 'kubernetes.NamedFormat';

function validate([format, text]: [NamedFormat, string]): Optional {
  const problems = format.rule.problems(text);
  return problems.length === 0 ? Optional.none : new Optional(new ArrayList(problems));
}

export const formats: readonly Overload[] = [
  overload('format-validate', `${F}::validate(string): optional(list(string))`, validate),
  overload('format-named', `format.named(string): optional(${F})`, ([name]: [string]) => {
    const format = known.get(name);
    return format === undefined ? Optional.none : new Optional(format);
  }),
  ...[...known].map(([name, format]) => overload(`format.${name}`, `format.${name}(): ${F}`, () => format)),
];
