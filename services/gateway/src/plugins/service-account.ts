import { generatedName, metaOf } from '@tidegate/kinds';
import { isJsonObject, type JsonObject, listOf } from '@tidegate/schema';
import { delayMs } from '@tidegate/service-kit';
import { type ApiError, namespaceTerminating, notFound } from '@tidegate/status';
import { type Admitted, append, type Lookups, type Plugin, refused, specOf } from './plugin.ts';
import { forbiddenSecret, namesSecrets } from './secret-references.ts';

const USUAL_ACCOUNT = 'default';
/** a copy of what a node runs by itself */
const MIRROR = 'kubernetes.io/config.mirror';
const LIMITS_SECRETS = 'kubernetes.io/enforce-mountable-secrets';

/**
 * A new pod runs as a service account that is there, with a token of it unless somebody wishes none, and with its secrets
 * for pulling images. Pods that a node runs by itself have nothing of the kind.
 */
export const serviceAccount: Plugin = {
  name: 'ServiceAccount',
  concerns: ['CREATE pods', 'UPDATE pods/ephemeralcontainers'],
  mutate: async (admitted) => {
    if (admitted.old !== undefined) return;
    if (isMirror(admitted.object)) refuseReferences(admitted);
    else await furnish(admitted);
  },
  validate: async (admitted) => {
    if (admitted.old === undefined && isMirror(admitted.object)) refuseReferences(admitted);
    else refuseSecrets(admitted, await accountOf(admitted));
  },
};

function isMirror(pod: JsonObject): boolean {
  return metaOf(pod).annotations?.[MIRROR] !== undefined;
}

async function furnish(admitted: Admitted): Promise<void> {
  const spec = specOf(admitted.object);
  spec.serviceAccountName ||= spec.serviceAccount || USUAL_ACCOUNT;
  // an older name of the same
  spec.serviceAccount = spec.serviceAccountName;
  const account = await accountOf(admitted);
  if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) mountToken(spec);
  if (listOf(spec, 'imagePullSecrets').length === 0) {
    const secrets = listOf(account, 'imagePullSecrets').map(({ name = '' }) => ({ name }));
    if (secrets.length > 0) spec.imagePullSecrets = secrets;
  }
  refuseSecrets(admitted, account);
}

function refuseReferences(admitted: Admitted): void {
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

function refuseSecrets(admitted: Admitted, account: JsonObject): void {
  if (!TRUE.has(metaOf(account).annotations?.[LIMITS_SECRETS] ?? '')) return;
  const why = forbiddenSecret(specOf(admitted.object), account, admitted.old === undefined ? 'new' : 'debugged');
  if (why !== undefined) throw refused(admitted, why);
}

const TRUE = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);

const ATTEMPTS = 10;
const PAUSE_MS = 150;

/** That of a new namespace is made a moment after it: whoever needs it then waits for it. */
async function accountOf(admitted: Admitted): Promise<JsonObject> {
  const { lookups, request, object } = admitted;
  const name = String(specOf(object).serviceAccountName ?? '');
  const { namespace } = request.info;
  if (name === '') throw refused(admitted, `no service account specified for pod ${namespace}/${metaOf(object).name}`);
  const attempts = name === USUAL_ACCOUNT ? ATTEMPTS : 1;
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const account = await accountNamed(lookups, namespace, name);
    if (account !== undefined) return account;
    // where nothing can be made, nobody waits for an account
    if (attempt === 1 && admitted.old === undefined) await refuseNamespace(admitted);
    if (attempt < attempts) await delayMs(PAUSE_MS);
  }
  throw missing(admitted, namespace, name);
}

async function refuseNamespace({ lookups, request, object }: Admitted): Promise<void> {
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
/** An hour, and seven seconds by which those are known who would not notice that a token is over. */
const EXPIRATION_SECONDS = 3607;
const MODE = 0o644;

/** Each container finds a token of the pod's account in the usual place, unless it has something else there. */
export function mountToken(spec: JsonObject): void {
  const there = listOf(spec, 'volumes').find(({ name }) => String(name).startsWith(PREFIX));
  const name = there === undefined ? generatedName(PREFIX) : String(there.name);
  const containers = [...listOf(spec, 'initContainers'), ...listOf(spec, 'containers')];
  const without = containers.filter((one) => listOf(one, 'volumeMounts').every(({ mountPath }) => mountPath !== PATH));
  for (const container of without) append(container, 'volumeMounts', { name, readOnly: true, mountPath: PATH });
  if (there === undefined && without.length > 0) append(spec, 'volumes', tokenVolume(name));
}

/** What a container needs to reach the API: a token, whom to believe, and where it is. */
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
