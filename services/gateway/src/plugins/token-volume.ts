import { type JsonObject, listOf } from '@tidegate/schema';
import { generatedName } from '../objects/generated-name.ts';
import { append } from './plugin.ts';

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
