import { type Kind, metaOf, setDefaults, toStored } from '@tidegate/kinds';
import type { RequestInfo } from '@tidegate/request-info';
import { clean, type JsonObject } from '@tidegate/schema';
import { ApiError, badRequest, type FieldError, invalid, notSupported } from '@tidegate/status';
import type { ResourceRequest } from '../gateway.ts';

/**
 * A client's object as the server takes it: of the right kind, with known fields of the right types and with defaults,
 * with the name and namespace of the path, and in the version in which its kind is stored.
 */
export function admitObject(request: ResourceRequest, raw: JsonObject): JsonObject {
  const { kind, info } = request;
  refuseOtherKind(kind, raw);
  const level = fieldValidation(request);
  const { value, unknown, problems } = clean(kind.schema, raw, kind.entry.kind);
  const [first] = problems;
  if (first !== undefined) {
    const { entry } = kind;
    throw new ApiError(
      'BadRequest',
      `${entry.kind} in version ${JSON.stringify(entry.version)} cannot be handled as a ${entry.kind}: ${first.message}`,
      {
        details: {
          causes: problems.map(({ field, message }) => ({ reason: 'FieldValueTypeInvalid', message, field })),
        },
      },
    );
  }
  if (unknown.length > 0 && level !== 'Ignore') {
    const texts = unknown.map((field) => `unknown field ${JSON.stringify(field)}`);
    if (level === 'Strict') throw badRequest(`strict decoding error: ${texts.join(', ')}`);
    request.warnings.push(...texts);
  }
  value.apiVersion = kind.apiVersion;
  value.kind = kind.entry.kind;
  takePlace(kind, info, value);
  setDefaults(kind, value);
  if (kind.stored === kind) return value;
  const stored = toStored(kind, value);
  setDefaults(kind.stored, stored);
  return stored;
}

/** Where an object goes is said by the path; the body may only agree. */
function takePlace(kind: Kind, info: RequestInfo, object: JsonObject): void {
  const meta = metaOf(object);
  if (kind.entry.namespaced) {
    if (meta.namespace && meta.namespace !== info.namespace) {
      throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
    }
    meta.namespace = info.namespace;
  }
  if (info.name === '') return;
  if (!meta.name) meta.name = info.name;
  else if (meta.name !== info.name) {
    throw badRequest(`the name of the object (${meta.name}) does not match the name on the URL (${info.name})`);
  }
}

function refuseOtherKind(kind: Kind, raw: JsonObject): void {
  const { apiVersion, kind: name } = raw;
  if (name === 'List' || name === `${kind.entry.kind}List`) {
    throw badRequest(`one object for each request: send the items of the ${name} one by one`);
  }
  if (apiVersion !== undefined && apiVersion !== '' && apiVersion !== kind.apiVersion) {
    throw badRequest(
      `the API version in the data (${String(apiVersion)}) does not match the expected API version (${kind.apiVersion})`,
    );
  }
  if (name !== undefined && name !== '' && name !== kind.entry.kind) {
    throw badRequest(`the kind in the data (${String(name)}) does not match the expected kind (${kind.entry.kind})`);
  }
}

const LEVELS = ['Ignore', 'Warn', 'Strict'];

function fieldValidation({ info }: ResourceRequest): string {
  const level = info.query.get('fieldValidation') ?? '';
  if (level === '') return 'Warn';
  if (!LEVELS.includes(level)) throw refuseOption(info, [notSupported('fieldValidation', level, ['', ...LEVELS])]);
  return level;
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

/** `?dryRun` and `?dryRun=All`: everything but the write. */
export function isDryRun(request: ResourceRequest, fromBody: readonly string[] = []): boolean {
  const values = [...request.info.query.all('dryRun'), ...fromBody];
  const wrong = values.find((value) => value !== '' && value !== 'All');
  if (wrong !== undefined) throw refuseOption(request.info, [notSupported('dryRun', wrong, ['All'])]);
  return values.length > 0;
}
