import { badRequest } from '@tidegate/status';

interface Requirement {
  readonly field: string;
  readonly equal: boolean;
  readonly value: string;
}

/** A parsed fieldSelector: every requirement must hold. */
export interface FieldSelector {
  readonly requirements: readonly Requirement[];
  matches(fieldOf: (field: string) => string): boolean;
}

/** Returns undefined if the text selects everything. `\,`, `\=` and `\\` are literal characters of a value. */
export function parseFieldSelector(text: string, supported: (field: string) => boolean): FieldSelector | undefined {
  if (text.trim() === '') return undefined;
  const requirements = splitUnescaped(text).map(parseRequirement);
  for (const { field } of requirements) {
    if (!supported(field)) throw badRequest(`field label not supported: ${field}`);
  }
  return {
    requirements,
    matches: (fieldOf) => requirements.every((r) => (fieldOf(r.field) === r.value) === r.equal),
  };
}

function splitUnescaped(text: string): string[] {
  return [...text.matchAll(/(?:\\.|[^,\\])+/gs)].map((match) => match[0]);
}

const REQUIREMENT = /^((?:\\.|[^=!\\])+)(==|!=|=)(.*)$/s;

function parseRequirement(text: string): Requirement {
  const match = REQUIREMENT.exec(text.trim());
  if (match === null)
    throw badRequest(`invalid selector: ${JSON.stringify(text)}; can't understand ${JSON.stringify(text)}`);
  const [, field, operator, value] = match as unknown as [string, string, string, string];
  return { field: field.trim(), equal: operator !== '!=', value: value.replace(/\\(.)/gs, '$1') };
}
