import type { ApiPriority } from '@tidegate/kinds';
import { isJsonObject, type JsonObject } from '@tidegate/schema';

/** The Service of a remote group version, and how its certificate is verified. */
export interface RemoteService {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
  /** the trusted authorities in base64; empty: those of the system */
  readonly caBundle: string;
  readonly insecure: boolean;
}

/** The content of an APIService. */
export interface ApiService {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly resourceVersion: string;
  readonly priority: ApiPriority;
  /** undefined: this server */
  readonly remote: RemoteService | undefined;
  readonly conditions: readonly JsonObject[];
}

/** `revision`: the object's revision, which its stored bytes do not contain. */
export function readApiService(object: JsonObject, revision: number): ApiService {
  const { metadata, spec, status } = object as Record<string, JsonObject | undefined>;
  const conditions = Array.isArray(status?.conditions) ? status.conditions.filter(isJsonObject) : [];
  return {
    name: String(metadata?.name),
    group: String(spec?.group ?? ''),
    version: String(spec?.version),
    resourceVersion: String(revision),
    priority: { group: Number(spec?.groupPriorityMinimum), version: Number(spec?.versionPriority) },
    remote: remoteOf(spec ?? {}),
    conditions,
  };
}

function remoteOf({ service, caBundle, insecureSkipTLSVerify }: JsonObject): RemoteService | undefined {
  if (!isJsonObject(service)) return undefined;
  return {
    namespace: String(service.namespace),
    name: String(service.name),
    port: Number(service.port ?? 443),
    caBundle: typeof caBundle === 'string' ? caBundle : '',
    insecure: insecureSkipTLSVerify === true,
  };
}

export function availableIn({ conditions }: Pick<ApiService, 'conditions'>): JsonObject | undefined {
  return conditions.find(({ type }) => type === 'Available');
}
