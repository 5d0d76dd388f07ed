import { parseAddress, parseLenientAddress } from '@tidegate/addresses';

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const LABEL_1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const QUALIFIED_PART = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;

const SUBDOMAIN_PROBLEM =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL_PROBLEM =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const LABEL_1035_PROBLEM =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const QUALIFIED_PROBLEM =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABEL_VALUE_PROBLEM =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/** The problems of a name as texts; empty for a valid name. The patterns take time linear in the length of the name. */
export function subdomainProblems(name: string): string[] {
  if (name.length > 253) return ['must be no more than 253 characters'];
  return SUBDOMAIN.test(name) ? [] : [SUBDOMAIN_PROBLEM];
}

export function labelProblems(name: string): string[] {
  if (name.length > 63) return ['must be no more than 63 characters'];
  if (LABEL.test(name)) return [];
  return [SUBDOMAIN.test(name) ? 'must not contain dots' : LABEL_PROBLEM];
}

/** A label that begins with a letter (RFC 1035). */
export function label1035Problems(name: string): string[] {
  if (name.length > 63) return ['must be no more than 63 characters'];
  return LABEL_1035.test(name) ? [] : [LABEL_1035_PROBLEM];
}

/** The name of an IPAddress must be its address. */
export function addressProblems(name: string): string[] {
  if (parseAddress(name) !== undefined) return [];
  const isLenient = parseLenientAddress(name) !== undefined;
  return [isLenient ? 'must not have leading 0s' : 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'];
}

/** A name that can be one segment of a path. */
export function pathSegmentProblems(name: string): string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%'].filter((sign) => name.includes(sign)).map((sign) => `may not contain '${sign}'`);
}

export function labelValueProblems(value: string): string[] {
  if (value.length > 63) return ['must be no more than 63 bytes'];
  return value === '' || QUALIFIED_PART.test(value) ? [] : [LABEL_VALUE_PROBLEM];
}

/** `name` or `prefix/name`: keys of labels and annotations, names of finalizers. */
export function labelKeyProblems(text: string): string[] {
  const parts = text.split('/');
  if (parts.length > 2) {
    return [
      `a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const problems: string[] = [];
  if (parts.length === 2) {
    if (parts[0] === '') problems.push('prefix part must be non-empty');
    else problems.push(...subdomainProblems(parts[0] as string).map((problem) => `prefix part ${problem}`));
  }
  const name = parts.at(-1) as string;
  if (name === '') problems.push('name part must be non-empty');
  else if (name.length > 63) problems.push('name part must be no more than 63 bytes');
  if (!QUALIFIED_PART.test(name)) problems.push(QUALIFIED_PROBLEM);
  return problems;
}

const CONFIG_KEY = /^[-._a-zA-Z0-9]+$/;
const CONFIG_KEY_PROBLEM =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

/** Keys of config maps and secrets can be names of files. */
export function configKeyProblems(key: string): string[] {
  const problems: string[] = [];
  if (key.length > 253) problems.push('must be no more than 253 characters');
  if (!CONFIG_KEY.test(key)) problems.push(CONFIG_KEY_PROBLEM);
  if (key === '.' || key === '..') problems.push(`must not be '${key}'`);
  else if (key.startsWith('..')) problems.push("must not start with '..'");
  return problems;
}
