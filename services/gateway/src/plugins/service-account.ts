import { generatedName, metaOf } from '@tidegate/kinds';
import { isJsonObject, type JsonObject, listOf } from '@tidegate/schema';
import { delayMs } from '@tidegate/service-kit';
import { type ApiError, namespaceTerminating, notFound } from '@tidegate/status';
import { type Admitted, append, type Lookups, type Plugin, refused, specOf } from './plugin.ts';
import { forbiddenSecret, namesSecrets } from './secret-references.ts';

const DEFAULT_ACCOUNT = 'default';
/** marks the mirror pod of a static pod, which a node runs by itself */
const MIRROR = 'kubernetes.io/config.mirror';
const LIMITS_SECRETS = 'kubernetes.io/enforce-mountable-secrets';

/**
 * A new pod needs an existing service account. It gets a token of it (unless automounting is off) and its image pull
 * secrets. Mirror pods may not reference service accounts, secrets or tokens.
 */
export const serviceAccount: Plugin = {
  name: 'ServiceAccount',
  handles: ['CREATE pods', 'UPDATE pods/ephemeralcontainers'],
  mutate: async (admitted) => {
    if (admitted.old !== undefined) return;
    if (isMirror(admitted.object)) checkMirrorPod(admitted);
    else await setAccountFields(admitted);
  },
  validate: async (admitted) => {
    if (admitted.old === undefined && isMirror(admitted.object)) checkMirrorPod(admitted);
    else checkSecrets(admitted, await accountOf(admitted));
  },
};

function isMirror(pod: JsonObject): boolean {
  return metaOf(pod).annotations?.[MIRROR] !== undefined;
}

async function setAccountFields(admitted: Admitted): Promise<void> {
  const spec = specOf(admitted.object);
  spec.serviceAccountName ||= spec.serviceAccount || DEFAULT_ACCOUNT;
  // the deprecated name of the same field
  spec.serviceAccount = spec.serviceAccountName;
  const account = await accountOf(admitted);
  if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) mountToken(spec);
  if (listOf(spec, 'imagePullSecrets').length === 0) {
    const secrets = listOf(account, 'imagePullSecrets').map(({ name = '' }) => ({ name }));
    if (secrets.length > 0) spec.imagePullSecrets = secrets;
  }
  checkSecrets(admitted, account);
}

function checkMirrorPod(admitted: Admitted): void {
  const spec = specOf(admitted.object);
  if (spec.serviceAccountName) throw refused(admitted, 'a mirror pod may not reference service accounts');
  if (namesSecrets(spec)) throw refused(admitted, 'a mirror pod may not reference secrets');
  const projected = listOf(spec, 'volumes').flatMap((volume) =>
    isJsonObject(volume.projected) ? listOf(volume.projected, 'sources') : [],
  );
  if (projected.some((source) => source.serviceAccountToken !== undefined)) {
    throw refused(admitted, 'a mirror pod may not use ServiceAccountToken volume projections');
  }
}

function checkSecrets(admitted: Admitted, account: JsonObject): void {
  if (!TRUE.has(metaOf(account).annotations?.[LIMITS_SECRETS] ?? '')) return;
  const why = forbiddenSecret(specOf(admitted.object), account, admitted.old === undefined ? 'new' : 'debugged');
  if (why !== undefined) throw refused(admitted, why);
}

const TRUE = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);

const ATTEMPTS = 10;
const PAUSE_MS = 150;

/** The default account of a new namespace is created shortly after it, so a pod waits for it. */
async function accountOf(admitted: Admitted): Promise<JsonObject> {
  const { lookups, request, object } = admitted;
  const name = String(specOf(object).serviceAccountName ?? '');
  const { namespace } = request.info;
  if (name === '') throw refused(admitted, `no service account specified for pod ${namespace}/${metaOf(object).name}`);
  const attempts = name === DEFAULT_ACCOUNT ? ATTEMPTS : 1;
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const account = await accountNamed(lookups, namespace, name);
    if (account !== undefined) return account;
    // do not wait if the namespace is missing or terminating
    if (attempt === 1 && admitted.old === undefined) await checkNamespace(admitted);
    if (attempt < attempts) await delayMs(PAUSE_MS);
  }
  throw missing(admitted, namespace, name);
}

async function checkNamespace({ lookups, request, object }: Admitted): Promise<void> {
  const { namespace } = request.info;
  const stored = await lookups.objects.stored({ resource: 'namespaces', namespace: '', name: namespace });
  if (stored === undefined) throw notFound({ group: '', resource: 'namespaces' }, namespace);
  if (metaOf(stored).deletionTimestamp !== undefined)
    throw namespaceTerminating(request.kind.entry, metaOf(object).name ?? '', namespace);
}

function accountNamed(lookups: Lookups, namespace: string, name: string): Promise<JsonObject | undefined> {
  return lookups.objects.stored({ resource: 'serviceaccounts', namespace, name });
}

function missing(admitted: Admitted, namespace: string, name: string): ApiError {
  const words = `serviceaccount ${JSON.stringify(name)} not found`;
  return refused(admitted, `error looking up service account ${namespace}/${name}: ${words}`);
}

const PREFIX = 'kube-api-access-';
const PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
/** One hour, plus seven seconds that identify tokens of clients that do not reload expired tokens. */
const EXPIRATION_SECONDS = 3607;
const MODE = 0o644;

/**
 * Mounts a token of the pod's account at the standard path of each container, unless something else is mounted
 * there.
 */
export function mountToken(spec: JsonObject): void {
  const existing = listOf(spec, 'volumes').find(({ name }) => String(name).startsWith(PREFIX));
  const name = existing === undefined ? generatedName(PREFIX) : String(existing.name);
  const containers = [...listOf(spec, 'initContainers'), ...listOf(spec, 'containers')];
  const unmounted = containers.filter((one) =>
    listOf(one, 'volumeMounts').every(({ mountPath }) => mountPath !== PATH),
  );
  for (const container of unmounted) append(container, 'volumeMounts', { name, readOnly: true, mountPath: PATH });
  if (existing === undefined && unmounted.length > 0) append(spec, 'volumes', tokenVolume(name));
}

/** The volume with what a container needs to reach the API: a token, the CA certificate and the namespace. */
function tokenVolume(name: string): JsonObject {
  const fieldRef = { apiVersion: 'v1', fieldPath: 'metadata.namespace' };
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: EXPIRATION_SECONDS, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        { downwardAPI: { items: [{ path: 'namespace', fieldRef }] } },
      ],
      defaultMode: MODE,
    },
  };
}
