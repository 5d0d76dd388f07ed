import { kindOf } from '@tidegate/kinds';
import type { JsonObject } from '@tidegate/schema';
import type { Gateway } from '../gateway.ts';
import { flag } from '../proxy/log-options.ts';
import type { ResourceRequest } from '../request/resource-request.ts';
import { inquiryOf } from './inquiries.ts';

/** What a connection is asked for with, as an object that only those see who may refuse it. */
const KINDS: Readonly<Record<string, string>> = {
  'pods/exec': 'PodExecOptions',
  'pods/attach': 'PodAttachOptions',
  'pods/portforward': 'PodPortForwardOptions',
  'pods/proxy': 'PodProxyOptions',
  'services/proxy': 'ServiceProxyOptions',
  'nodes/proxy': 'NodeProxyOptions',
};

/** Who opens a stream, or is sent on to something, makes nothing, but can be refused. */
export async function admitConnection(gateway: Gateway, request: ResourceRequest, container = ''): Promise<void> {
  const { info, kind } = request;
  const name = KINDS[`${info.resource}/${info.subresource}`] ?? '';
  const own = kindOf({ ...kind.entry, group: '', version: 'v1', kind: name });
  const inquiry = inquiryOf(gateway, request, {
    operation: 'CONNECT',
    kind: own,
    options: () => null,
    isDryRun: false,
  });
  if (inquiry === undefined) return;
  const objects = { object: { kind: name, apiVersion: 'v1', ...wishes(request, container) }, old: undefined };
  await inquiry.mutate(objects);
  await inquiry.validate(objects);
}

function wishes({ info }: ResourceRequest, container: string): JsonObject {
  const { query, subresource } = info;
  if (subresource === 'proxy') return { path: info.subpath === '' ? '/' : info.subpath };
  if (subresource === 'portforward')
    return { ports: query.all('ports').flatMap((text) => text.split(',').map(Number)) };
  const streams = ['stdin', 'stdout', 'stderr', 'tty'].filter((stream) => flag(query, stream));
  return {
    ...Object.fromEntries(streams.map((stream) => [stream, true])),
    container,
    ...(subresource === 'exec' ? { command: [...query.all('command')] } : {}),
  };
}
