import type { RequestInfo } from '@tidegate/request-info';
import { type FieldError, invalidValue, requiredValue, tooLong } from '@tidegate/status';
import type { ResourceRequest } from '../request/resource-request.ts';
import { refuseOption } from '../rules/admit-object.ts';

const LONGEST = 128;

/** By which name the author of a change owns fields: the one that it gives, or the program that it uses. */
export function fieldManager(request: ResourceRequest): string {
  const given = request.info.query.get('fieldManager') ?? '';
  if (given === '') return programOf(request.userAgent);
  return given;
}

/** Every write judges the name, also one that comes to change nothing. */
export function refuseFieldManager(info: RequestInfo, given: string): void {
  const errors = problemsOf(given);
  if (errors.length > 0) throw refuseOption(info, errors);
}

/** The same where it has to be given. */
export function requiredFieldManager(request: ResourceRequest): string {
  if ((request.info.query.get('fieldManager') ?? '') === '') {
    const error = requiredValue('fieldManager');
    throw refuseOption(request.info, [{ ...error, message: `${error.message}: is required for apply patch` }]);
  }
  return fieldManager(request);
}

function problemsOf(name: string): FieldError[] {
  const errors: FieldError[] = [];
  if (Buffer.byteLength(name) > LONGEST) errors.push(tooLong('fieldManager', `may not be more than ${LONGEST} bytes`));
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
    if (Buffer.byteLength(name + char) > LONGEST) break;
    if (isPrintable(char)) name += char;
  }
  return name;
}
