// Reads and writes with the JavaScript client, and prints its results as one line of JSON.
import { request } from 'node:https';
import { gunzipSync } from 'node:zlib';
import { AppsV1Api, CoreV1Api, KubeConfig, Watch } from '@kubernetes/client-node';

const [, , name] = process.argv;
const config = new KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(CoreV1Api);
const apps = config.makeApiClient(AppsV1Api);
const namespace = 'default';
const codeOf = (call) =>
  call.then(
    () => 200,
    (error) => error.code,
  );

const body = {
  metadata: { name, labels: { by: 'javascript' } },
  data: { text: 'ä😀' },
  binaryData: { bytes: Buffer.from([0, 1, 255]).toString('base64') },
};
const made = await core.createNamespacedConfigMap({ namespace, body, fieldValidation: 'Strict' });
const read = await core.readNamespacedConfigMap({ namespace, name });
await core.replaceNamespacedConfigMap({ namespace, name, body: { ...read, data: { ...read.data, more: '1' } } });
const conflict = await codeOf(core.replaceNamespacedConfigMap({ namespace, name, body: made }));
const patched = await core.patchNamespacedConfigMap({
  namespace,
  name,
  body: [{ op: 'add', path: '/data/patched', value: '2' }],
});
const preconditions = { uid: made.metadata.uid };
await core.deleteNamespacedConfigMap({ namespace, name, body: { preconditions } });
const missing = await codeOf(core.readNamespacedConfigMap({ namespace, name }));
const events = await new Promise((done, fail) => {
  const met = [];
  const query = { fieldSelector: `metadata.name=${name}`, resourceVersion: made.metadata.resourceVersion };
  const take = (type) => {
    met.push(type);
    if (met.length === 3) done(met);
  };
  new Watch(config)
    .watch(`/api/v1/namespaces/${namespace}/configmaps`, query, take, (error) => fail(error))
    .catch(fail);
});

await apps.createNamespacedControllerRevision({ namespace, body: { metadata: { name }, revision: 7, data: { a: 1 } } });
const revision = await apps.readNamespacedControllerRevision({ namespace, name });
const labelSelector = 'fill=yes';
const listed = await core.listNamespacedConfigMap({ namespace, labelSelector });
let paged = 0;
for (let token; token !== ''; ) {
  const page = await core.listNamespacedConfigMap({ namespace, labelSelector, limit: 100, _continue: token });
  paged += page.items.length;
  token = page.metadata._continue ?? '';
}

// the client does not request compression
const options = { headers: { 'Accept-Encoding': 'gzip' } };
await config.applyToHTTPSOptions(options);
const url = `${config.getCurrentCluster().server}/api/v1/namespaces/${namespace}/configmaps?labelSelector=fill%3Dyes`;
const answer = await new Promise((done, fail) => request(url, options, done).on('error', fail).end());
const bytes = Buffer.concat(await answer.toArray());
const gzip = answer.headers['content-encoding'] === 'gzip' && JSON.parse(gunzipSync(bytes)).items.length === paged;

console.log(
  JSON.stringify({
    text: read.data.text,
    bytes: read.binaryData.bytes,
    patched: patched.data.patched,
    conflict: conflict === 409,
    missing: missing === 404,
    events,
    revision: String(revision.revision),
    raw: JSON.stringify(revision.data),
    listed: listed.items.length,
    paged,
    gzip,
  }),
);
process.exit(0);
