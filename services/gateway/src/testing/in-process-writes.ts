import {
  findingsAgainst,
  type Kind,
  metaOf,
  missingAmounts,
  prepareCreate,
  prepareUpdate,
  type Registry,
  usageOf,
  validateMeta,
  validateMetaUpdate,
} from '@tidegate/kinds';
import { applyConfiguration, compare, isSame } from '@tidegate/managed-fields';
import { type JsonObject, strategicMerge } from '@tidegate/schema';
import { ApiError, type FieldError, invalid } from '@tidegate/status';
import { warningHeaders } from '../answer/headers.ts';
import { STRATEGIC_PATCH } from '../codec/media-types.ts';
import { parseStored, storedForm } from '../codec/stored-form.ts';
import { liveOwners, ownChanged, ownCreated, setOwners, withoutOwners } from '../ownership/own-fields.ts';
import { applyJsonPatch } from '../patch/json-patch.ts';
import { mergePatch } from '../patch/merge-patch.ts';
import { mountToken } from '../plugins/service-account.ts';
import { mergedTolerations } from '../plugins/taints.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import { readConfiguration } from '../verbs/apply.ts';
import { removeServerFields } from '../verbs/create.ts';
import { admitBody, admitObject } from '../writing/admit-object.ts';

/** The CPU work of a gateway for a write, between reading the body and calling the store. */
export class InProcessWrites {
  readonly #registry: Registry;
  readonly #kind: Kind;
  readonly #body: Buffer;
  readonly #old: JsonObject;

  constructor(registry: Registry, kind: Kind, object: JsonObject) {
    this.#registry = registry;
    this.#kind = kind;
    this.#body = Buffer.from(JSON.stringify(object));
    this.#old = this.#stored();
  }

  get bytes(): number {
    return this.#body.length;
  }

  create(): void {
    const request = this.#request('create');
    answered(request, () => {
      const object = admitBody(request);
      removeServerFields(object);
      ownCreated(this.#registry, request, object);
      const { entry } = this.#kind.stored;
      const author = { name: 'someone', uid: '', groups: [] };
      prepareCreate(this.#kind.stored, object, author);
      const spec = (object.spec ?? {}) as JsonObject;
      if (this.#kind.storedAs === 'pods') {
        mergedTolerations((spec.tolerations ?? []) as JsonObject[], (spec.tolerations ?? []) as JsonObject[]);
        mountToken(spec);
        findingsAgainst({ level: 'restricted', version: 'latest' }, object);
        missingAmounts(object, ['cpu', 'limits.memory']);
      }
      usageOf(this.#kind.storedAs, object);
      request.warnings.push(...(entry.warn?.(object) ?? []));
      storedForm(this.#kind.stored, object);
      this.#refuse([
        ...validateMeta(entry, object),
        ...(entry.validate?.(object) ?? []),
        ...(this.#kind.entry.validateCreate?.(object) ?? []),
      ]);
    });
  }

  /** A PUT of the same object with another annotation. */
  update(): void {
    const request = this.#request('update');
    this.#change(request, () => {
      const object = admitBody(request);
      metaOf(object).annotations = { ...metaOf(object).annotations, changed: 'yes' };
      return object;
    });
  }

  patch(language: 'json' | 'merge' | 'strategic'): void {
    const request = this.#request('patch', language === 'strategic' ? STRATEGIC_PATCH : 'application/json');
    const change = { metadata: { annotations: { changed: 'yes' } } };
    this.#change(request, (old) => {
      if (language === 'merge') return admitObject(request, mergePatch(old, change));
      if (language === 'strategic') {
        const patch = JSON.parse(this.#body.toString()) as JsonObject;
        return admitObject(request, strategicMerge(this.#kind.schema, old, { ...patch, ...change }));
      }
      const operation = { op: 'add', path: '/metadata/annotations', value: { changed: 'yes' } };
      return admitObject(request, applyJsonPatch(old, [operation]));
    });
  }

  /** Applies the object, and then applies it again with fewer fields. */
  apply(): void {
    const request = this.#request('patch', 'application/apply-patch+yaml', 'fieldManager=someone&force=true');
    answered(request, () => {
      const configuration = readConfiguration(this.#registry, request);
      const live = withoutOwners(this.#kind, this.#old);
      const first = applyConfiguration({ ...configuration, live, owners: liveOwners(this.#old) });
      const less = { ...configuration.applied, spec: {}, data: {} } as JsonObject;
      const again = applyConfiguration({ ...configuration, applied: less, live: first.object, owners: first.owners });
      const admitted = admitObject(request, again.object);
      setOwners(admitted, again.owners);
    });
    answered(request, () => {
      const configuration = readConfiguration(this.#registry, request);
      const other = { ...configuration, author: { manager: 'other', subresource: '' }, force: false };
      const mine = applyConfiguration({ ...configuration, live: {}, owners: new Map() });
      const changed = { ...mine.object, spec: {}, data: {} } as JsonObject;
      compare(this.#kind.schema, mine.object, changed);
      applyConfiguration({ ...other, applied: changed, live: mine.object, owners: mine.owners });
    });
  }

  #change(request: ResourceRequest, apply: (old: JsonObject) => JsonObject): void {
    answered(request, () => {
      const old = this.#old;
      const object = apply(old);
      ownChanged(this.#registry, request, object, old);
      prepareUpdate(this.#kind.stored, object, old, '');
      const { entry } = this.#kind.stored;
      const errors = [
        ...validateMetaUpdate(object, old),
        ...validateMeta(entry, object),
        ...(entry.validate?.(object) ?? []),
        ...(entry.validateUpdate?.(object, old, '') ?? []),
      ];
      storedForm(this.#kind.stored, object);
      isSame(object, old);
      request.warnings.push(...(entry.warn?.(object, old) ?? []));
      this.#refuse(errors);
    });
  }

  /** The object in its stored form, valid or not. */
  #stored(): JsonObject {
    const request = this.#request('create');
    let object: JsonObject = { metadata: { name: 'large' } };
    answered(request, () => {
      object = admitBody(request);
      removeServerFields(object);
      ownCreated(this.#registry, request, object);
      prepareCreate(this.#kind.stored, object, { name: 'someone', uid: '', groups: [] });
    });
    return parseStored(storedForm(this.#kind.stored, object).value, 1);
  }

  #refuse(errors: readonly FieldError[]): void {
    const { entry } = this.#kind;
    if (errors.length > 0) throw invalid({ group: entry.group, kind: entry.kind, name: 'large' }, errors);
  }

  #request(verb: string, contentType = 'application/json', query = ''): ResourceRequest {
    const namespace = this.#kind.entry.namespaced ? 'large' : '';
    const parameters = new URLSearchParams(query);
    const get = (name: string) => parameters.get(name) ?? undefined;
    const info = {
      verb,
      namespace,
      name: verb === 'create' ? '' : 'large',
      subresource: '',
      query: { get, all: (name: string) => parameters.getAll(name), flag: (name: string) => get(name) === 'true' },
    };
    return { kind: this.#kind, info, body: this.#body, contentType, userAgent: 'test', warnings: [] } as never;
  }
}

/** Also builds the answer: the text of an error, and the headers of warnings. */
function answered({ warnings }: ResourceRequest, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof ApiError) && (error as Error).constructor.name === 'TypeError') throw error;
    JSON.stringify(ApiError.from(error).status);
  }
  warningHeaders(warnings);
}
