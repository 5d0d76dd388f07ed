const RESERVED = new Set([
  ...['true', 'false', 'null', 'in', 'as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if', 'import'],
  ...['let', 'loop', 'package', 'namespace', 'return', 'var', 'void', 'while'],
]);

const ESCAPES: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};

/** The name of a field in expressions: `a__dash__b` for `a-b`. undefined: expressions cannot use it. */
export function expressionName(field: string): string | undefined {
  if (RESERVED.has(field)) return `__${field}__`;
  if (!/^[A-Za-z_.\-/][A-Za-z0-9_.\-/]*$/.test(field)) return undefined;
  return field.replace(/__|[.\-/]/g, (part) => ESCAPES[part] ?? part);
}
