import type { Answer, Client, ClientOptions } from './client.ts';
import { Connection } from './connection.ts';
import { Http2Connection } from './http2-connection.ts';
import { collectionOf, objectName, randomObject, randomPatch, type Subject } from './objects.ts';

/** What most writes of a cluster are: in Protobuf over HTTP/2, as its parts send them. */
const CLUSTER_OPERATIONS = [
  'create-pod',
  'bind-pod',
  'patch-pod-status',
  'delete-pod',
  'renew-lease',
  'create-event',
] as const;
export type ClusterOperation = (typeof CLUSTER_OPERATIONS)[number];

export type Operation =
  | ClusterOperation
  | 'create'
  | 'get'
  | 'get-cached'
  | 'list'
  | 'list-pages'
  | 'list-protobuf'
  | 'update'
  | 'patch'
  | 'apply'
  | 'delete'
  | 'watch';

/** The objects with which the operations work. */
export interface Place {
  namespace: string;
  subject: Subject;
  /** objects 0 to N-1 exist */
  objects: number;
}

/** The function for one operation. Creations and deletions take the i-th object, reads and updates a random one. */
export type Once = (client: Client, i: number) => Promise<Answer>;

export function isClusterOperation(operation: Operation): operation is ClusterOperation {
  return (CLUSTER_OPERATIONS as readonly string[]).includes(operation);
}

export function speaksHttp2(operation: Operation): boolean {
  return isClusterOperation(operation) || operation === 'list-protobuf';
}

export function openClient(operation: Operation, options: ClientOptions): Promise<Client> {
  return speaksHttp2(operation) ? Http2Connection.open(options) : Connection.open(options);
}

export async function onceOf(operation: Operation, place: Place, client: Client): Promise<Once> {
  if (!isClusterOperation(operation)) return ofSubject(operation, place);
  // the schemas of all kinds are loaded only where they are needed
  const { clusterOperation } = await import('./cluster-operations.ts');
  return clusterOperation(operation, place.namespace, client);
}

function ofSubject(operation: Exclude<Operation, ClusterOperation>, place: Place): Once {
  const { subject, namespace } = place;
  const maps = collectionOf(subject, namespace);
  const any = () => Math.floor(Math.random() * place.objects);
  switch (operation) {
    case 'create':
      return (c, i) => c.request('POST', maps, randomObject(subject, namespace, i));
    case 'get':
      return (c) => c.request('GET', `${maps}/${objectName(any())}`);
    case 'get-cached':
      return (c) => c.request('GET', `${maps}/${objectName(any())}?resourceVersion=0`);
    case 'list':
    case 'list-protobuf':
      return (c) => c.request('GET', maps);
    case 'list-pages':
      return (c) => allPages(c, maps);
    case 'apply':
      return (c) => {
        const i = any();
        const path = `${maps}/${objectName(i)}?fieldManager=bench&force=true`;
        return c.request('PATCH', path, randomObject(subject, namespace, i), 'application/apply-patch+yaml');
      };
    case 'patch':
      return (c) => c.request('PATCH', `${maps}/${objectName(any())}`, randomPatch(), 'application/merge-patch+json');
    case 'delete':
      return (c, i) => c.request('DELETE', `${maps}/${objectName(i)}`);
    default: {
      return (c) => {
        const i = any();
        return c.request('PUT', `${maps}/${objectName(i)}`, randomObject(subject, namespace, i));
      };
    }
  }
}

async function allPages(client: Client, maps: string): Promise<Answer> {
  let token = '';
  let bytes = 0;
  for (;;) {
    const answer = await client.request('GET', `${maps}?limit=500${token}`, undefined, '', true);
    bytes += answer.bytes;
    const next =
      /"continue":"([^"]+)"/.exec(answer.body.toString('latin1', 0, 4096))?.[1] ??
      /"continue":"([^"]+)"/.exec(answer.body.toString('latin1'))?.[1];
    if (answer.code !== 200 || next === undefined) return { ...answer, bytes };
    token = `&continue=${next}`;
  }
}
