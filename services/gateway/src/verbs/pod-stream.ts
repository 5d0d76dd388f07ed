import type { FeatureGates } from '@tidegate/feature-gates';
import { badRequest } from '@tidegate/status';
import type { Admission } from '../admission/admission.ts';
import { type UpgradeResponse, upgradeOf } from '../answer/upgrade-reply.ts';
import type { Authorizer } from '../authz/authorizer.ts';
import type { Objects } from '../objects/objects.ts';
import type { Backends } from '../proxy/backends.ts';
import { refuseDryRun } from '../proxy/forward.ts';
import { protocolsOf } from '../proxy/headers.ts';
import { containerOf, nodeOf } from '../proxy/kubelets.ts';
import { remoteCommand, STREAM_CLOSE_PROTOCOL } from '../proxy/remote-command.ts';
import { passUpgrade, type Upgrading } from '../proxy/upgrade.ts';
import { tunnel, tunnelled } from '../proxy/web-sockets.ts';
import { pathFlag } from '../request/query-parameters.ts';
import type { ResourceRequest, VerbHandler, Verbs } from '../request/resource-request.ts';

type Gates = Pick<FeatureGates, 'enabled'>;

export interface StreamPorts {
  readonly gates: Gates;
  readonly authorizer: Pick<Authorizer, 'demand'>;
  readonly objects: Pick<Objects, 'core'>;
  readonly admission: Pick<Admission, 'admitConnection'>;
  readonly backends: Pick<Backends, 'kubelet'>;
}

interface Stream {
  readonly speak: Speak;
  readonly pathOf: (request: ResourceRequest, container: string) => string;
  readonly isOfContainer: boolean;
}

type Speak = (upgrading: Upgrading, raw: UpgradeResponse, request: ResourceRequest, gates: Gates) => Promise<void>;

/** A stream to and from a pod is opened, whatever the method: who may only read pods may not open one. */
async function mayCreate({ gates, authorizer }: StreamPorts, { user, info }: ResourceRequest): Promise<void> {
  if (!gates.enabled('AuthorizePodWebsocketUpgradeCreatePermission')) return;
  await authorizer.demand(user, { ...info, verb: 'create' });
}

function opens(ports: StreamPorts, { speak, pathOf, isOfContainer }: Stream): Verbs {
  const open: VerbHandler = async (request, reply) => {
    const { info, auditId } = request;
    refuseDryRun(info);
    await mayCreate(ports, request);
    const pod = await ports.objects.core('pods', request.info.namespace, request.info.name);
    const container = isOfContainer ? containerOf(pod, info.name, info.query.get('container') ?? '') : '';
    await ports.admission.admitConnection(request, container);
    const node = nodeOf(pod);
    if (node === '') throw badRequest(`pod ${info.name} does not have a host assigned`);
    const backend = await ports.backends.kubelet(node);
    const raw = upgradeOf(reply);
    if (raw === undefined) throw badRequest('Upgrade request required');
    await speak({ auditId, backend, path: pathOf(request, container) }, raw, request, ports.gates);
    return undefined;
  };
  return { get: open, create: open };
}

/** Clients of version 5 are translated for; everybody else speaks with the kubelet. */
const command: Speak = (upgrading, raw, { info }, gates) => {
  const translated = protocolsOf(raw.req).includes(STREAM_CLOSE_PROTOCOL);
  if (!translated || !gates.enabled('TranslateStreamCloseWebsocketRequests')) return passUpgrade(upgrading, raw);
  return remoteCommand(upgrading, raw, streamsOf(info));
};

const portForward: Speak = (upgrading, raw, _request, gates) => {
  const protocols = gates.enabled('PortForwardWebsockets') ? tunnelled(raw) : [];
  return protocols.length > 0 ? tunnel(upgrading, raw, protocols) : passUpgrade(upgrading, raw);
};

function streamsOf({ query }: ResourceRequest['info']) {
  const on = (name: string) => pathFlag(query, name);
  return { stdin: on('stdin'), stdout: on('stdout'), stderr: on('stderr'), tty: on('tty') };
}

/** Kubelets have their own names for what a client asks. */
function commandPath(word: string) {
  return ({ info }: ResourceRequest, container: string): string => {
    const { stdin, stdout, stderr, tty } = streamsOf(info);
    const given = { error: stderr, input: stdin, output: stdout, tty };
    const query = new URLSearchParams(info.query.all('command').map((part) => ['command', part]));
    if (word !== 'exec') query.delete('command');
    for (const [name, isGiven] of Object.entries(given)) if (isGiven) query.append(name, '1');
    return `/${word}/${info.namespace}/${info.name}/${container}?${query}`;
  };
}

function portsPath({ info }: ResourceRequest): string {
  const wanted = info.query.all('ports').flatMap((text) => text.split(','));
  for (const port of wanted) if (!/^\d{1,5}$/.test(port)) throw badRequest(`invalid port ${JSON.stringify(port)}`);
  const query = wanted.length === 0 ? '' : `?${new URLSearchParams({ port: wanted.join(',') })}`;
  return `/portForward/${info.namespace}/${info.name}${query}`;
}

export const execVerbs = (ports: StreamPorts): Verbs =>
  opens(ports, { speak: command, pathOf: commandPath('exec'), isOfContainer: true });
export const attachVerbs = (ports: StreamPorts): Verbs =>
  opens(ports, { speak: command, pathOf: commandPath('attach'), isOfContainer: true });
export const portForwardVerbs = (ports: StreamPorts): Verbs =>
  opens(ports, { speak: portForward, pathOf: portsPath, isOfContainer: false });
