import type { RequestInfo } from '@tidegate/request-info';
import {
  type ApiError,
  type FieldError,
  invalid,
  invalidValue,
  notSupported,
  requiredValue,
  tooLong,
} from '@tidegate/status';
import type { ResourceRequest } from './resource-request.ts';

const LEVELS = ['Ignore', 'Strict', 'Warn'] as const;
export type FieldValidation = (typeof LEVELS)[number];

export function fieldValidation({ info }: ResourceRequest): FieldValidation {
  return readFieldValidation(info, info.query.get('fieldValidation') ?? '');
}

export function readFieldValidation(info: RequestInfo, level: string): FieldValidation {
  if (level === '') return 'Warn';
  const known = LEVELS.find((one) => one === level);
  if (known === undefined) throw refuseOption(info, [notSupported('fieldValidation', level, ['', ...LEVELS])]);
  return known;
}

const OPTION_KINDS: Readonly<Record<string, string>> = {
  create: 'CreateOptions',
  update: 'UpdateOptions',
  patch: 'PatchOptions',
  delete: 'DeleteOptions',
  deletecollection: 'DeleteOptions',
};

/** 422 for a query parameter, named as Kubernetes names its options. */
export function refuseOption(info: RequestInfo, errors: FieldError[]): ApiError {
  return invalid({ group: 'meta.k8s.io', kind: OPTION_KINDS[info.verb] ?? 'ListOptions', name: '' }, errors);
}

/** `?dryRun` and `?dryRun=All`: everything except the commit. */
export function isDryRun(request: ResourceRequest, fromBody: readonly string[] = []): boolean {
  const values = [...request.info.query.all('dryRun'), ...fromBody];
  refuseDryRun(request.info, values);
  return values.length > 0;
}

export function refuseDryRun(info: RequestInfo, values: readonly string[]): void {
  const isWrong = values.some((value) => value !== '' && value !== 'All');
  if (isWrong) throw refuseOption(info, [notSupported('dryRun', values, ['All'])]);
}

const MAX_BYTES = 128;

/** The field manager of a write: the one given in the query, or the program in the User-Agent. */
export function fieldManager(request: ResourceRequest): string {
  const given = request.info.query.get('fieldManager') ?? '';
  if (given === '') return programOf(request.userAgent);
  return given;
}

/** Every write validates the name, even a write that changes nothing. */
export function refuseFieldManager(info: RequestInfo, given: string): void {
  const errors = problemsOf(given);
  if (errors.length > 0) throw refuseOption(info, errors);
}

/** The field manager, where the query must give it. */
export function requiredFieldManager(request: ResourceRequest): string {
  if ((request.info.query.get('fieldManager') ?? '') === '') {
    const error = requiredValue('fieldManager');
    throw refuseOption(request.info, [{ ...error, message: `${error.message}: is required for apply patch` }]);
  }
  return fieldManager(request);
}

function problemsOf(name: string): FieldError[] {
  const errors: FieldError[] = [];
  if (Buffer.byteLength(name) > MAX_BYTES)
    errors.push(tooLong('fieldManager', `may not be more than ${MAX_BYTES} bytes`));
  let position = 0;
  for (const char of name) {
    if (!isPrintable(char)) {
      const code = (char.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0');
      errors.push(invalidValue('fieldManager', name, `invalid character U+${code} (at position ${position})`));
    }
    position += Buffer.byteLength(char);
  }
  return errors;
}

function isPrintable(char: string): boolean {
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(char);
}

/** `kubectl/v1.35.0 (linux/amd64)` is kubectl. */
function programOf(userAgent: string): string {
  const slash = userAgent.indexOf('/');
  let name = '';
  for (const char of slash < 0 ? userAgent : userAgent.slice(0, slash)) {
    if (Buffer.byteLength(name + char) > MAX_BYTES) break;
    if (isPrintable(char)) name += char;
  }
  return name;
}
