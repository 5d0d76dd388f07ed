import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FeatureGates } from '@tidegate/feature-gates';
import { ApiError, badRequest, internalError, type Reason } from '@tidegate/status';
import type { FastifyReply } from 'fastify';
import type { Admission } from '../admission/admission.ts';
import { isGone } from '../answer/drained.ts';
import { type UpgradeResponse, upgradeOf } from '../answer/upgrade-reply.ts';
import { writeHead } from '../answer/write-answer.ts';
import type { Authorizer } from '../authz/authorizer.ts';
import type { Objects } from '../objects/objects.ts';
import { ask, type Backend, dial, hiddenDetails, hostAndPort } from '../proxy/backend.ts';
import type { Backends } from '../proxy/backends.ts';
import { forward, refuseDryRun, sendBack } from '../proxy/forward.ts';
import { protocolsOf } from '../proxy/headers.ts';
import { containerOf, nodeOf } from '../proxy/kubelets.ts';
import { readLogOptions, sendToSocket } from '../proxy/pod-logs.ts';
import { remoteCommand, STREAM_CLOSE_PROTOCOL } from '../proxy/remote-command.ts';
import { passUpgrade, readSome, type Upgrading } from '../proxy/upgrade.ts';
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
  readonly connect: Connect;
  readonly pathOf: (request: ResourceRequest, container: string) => string;
  readonly isOfContainer: boolean;
}

type Connect = (upgrading: Upgrading, raw: UpgradeResponse, request: ResourceRequest, gates: Gates) => Promise<void>;

/**
 * Opening a stream requires the permission to create it, whatever the method, so that users who may only read pods
 * cannot.
 */
async function mayCreate({ gates, authorizer }: StreamPorts, { user, info }: ResourceRequest): Promise<void> {
  if (!gates.enabled('AuthorizePodWebsocketUpgradeCreatePermission')) return;
  await authorizer.demand(user, { ...info, verb: 'create' });
}

function streamVerbs(ports: StreamPorts, { connect, pathOf, isOfContainer }: Stream): Verbs {
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
    await connect({ auditId, backend, path: pathOf(request, container) }, raw, request, ports.gates);
    return undefined;
  };
  return { get: open, create: open };
}

/** Version 5 of the stream protocol is translated for the kubelet; other versions are passed through. */
const command: Connect = (upgrading, raw, { info }, gates) => {
  const translated = protocolsOf(raw.req).includes(STREAM_CLOSE_PROTOCOL);
  if (!translated || !gates.enabled('TranslateStreamCloseWebsocketRequests')) return passUpgrade(upgrading, raw);
  return remoteCommand(upgrading, raw, streamsOf(info));
};

const portForward: Connect = (upgrading, raw, _request, gates) => {
  const protocols = gates.enabled('PortForwardWebsockets') ? tunnelled(raw) : [];
  return protocols.length > 0 ? tunnel(upgrading, raw, protocols) : passUpgrade(upgrading, raw);
};

function streamsOf({ query }: ResourceRequest['info']) {
  const on = (name: string) => pathFlag(query, name);
  return { stdin: on('stdin'), stdout: on('stdout'), stderr: on('stderr'), tty: on('tty') };
}

/** The kubelet has other names for some parameters. */
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
  streamVerbs(ports, { connect: command, pathOf: commandPath('exec'), isOfContainer: true });
export const attachVerbs = (ports: StreamPorts): Verbs =>
  streamVerbs(ports, { connect: command, pathOf: commandPath('attach'), isOfContainer: true });
export const portForwardVerbs = (ports: StreamPorts): Verbs =>
  streamVerbs(ports, { connect: portForward, pathOf: portsPath, isOfContainer: false });

interface LogPorts {
  readonly gates: FeatureGates;
  readonly objects: Pick<Objects, 'core'>;
  readonly backends: Pick<Backends, 'kubelet'>;
}

/** GET of pods/NAME/log: streams the text from the kubelet. */
const get =
  ({ gates, objects, backends }: LogPorts): VerbHandler =>
  async (request, reply) => {
    const { info } = request;
    const options = readLogOptions(info, gates);
    const pod = await objects.core('pods', request.info.namespace, request.info.name);
    const container = containerOf(pod, info.name, options.container);
    const node = nodeOf(pod);
    if (node === '') {
      writeHead(request, reply, { code: 204, contentType: 'text/plain' }).end();
      return undefined;
    }
    const kubelet = await backends.kubelet(node, options);
    const text = options.query.toString();
    const path = `/containerLogs/${info.namespace}/${info.name}/${container}${text === '' ? '' : `?${text}`}`;
    await stream(request, reply, kubelet, path);
    return undefined;
  };

export const logVerbs = (ports: LogPorts): Verbs => ({ get: get(ports) });

async function stream(request: ResourceRequest, reply: FastifyReply, kubelet: Backend, path: string): Promise<void> {
  const { socket, response } = await reach(reply, kubelet, path);
  try {
    await refuse(request, response);
    const upgrade = upgradeOf(reply);
    if (upgrade !== undefined) return await sendToSocket(response, upgrade);
    const raw = writeHead(request, reply, { code: 200, contentType: 'text/plain' });
    raw.flushHeaders();
    await sendBack(response, raw);
  } finally {
    socket.destroy();
  }
}

async function reach(
  reply: FastifyReply,
  kubelet: Backend,
  path: string,
): Promise<{ socket: Socket; response: IncomingMessage }> {
  const { raw } = reply;
  try {
    const socket = await dial(kubelet);
    upgradeOf(reply)?.readEarly();
    raw.once('close', () => socket.destroy());
    if (isGone(raw)) socket.destroy();
    const headers = ['Host', hostAndPort(kubelet), 'Accept-Encoding', 'identity', 'Connection', 'close'];
    const { response } = await ask(socket, { method: 'GET', path, headers }, (body) => body.end());
    return { socket, response };
  } catch (error) {
    const words = `Get "https://${hostAndPort(kubelet)}${path}": ${(error as Error).message}`;
    throw new ApiError('', words, hiddenDetails(error));
  }
}

/** Translates an error of the kubelet for the client. The target of a redirect is not disclosed. */
async function refuse({ info }: ResourceRequest, response: IncomingMessage): Promise<void> {
  const { statusCode: code = 0 } = response;
  if (code >= 200 && code <= 206) return;
  if (code < 400 && response.headers.location !== undefined) throw new ApiError('', 'redirects forbidden');
  const text = (await readSome(response)).toString('utf8');
  if (code === 500) throw internalError(text);
  if (code === 400) throw badRequest(text);
  const [reason, words] = REFUSALS[code] ?? (code > 500 ? ['InternalError' as const, FAILED(text)] : UNKNOWN(code));
  throw new ApiError(reason, `${words === '' ? text : words} ( pods/log ${info.name})`, {
    // a status below 400 is unexpected here, so it becomes an error
    code: code < 400 ? 500 : code,
    details: { name: info.name, kind: 'pods/log' },
  });
}

const FAILED = (text: string) =>
  `an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding`;
const UNKNOWN = (code: number) =>
  ['', `the server responded with the status code ${code} but did not return more information`] as const;

/** By status code; an empty text means the kubelet's own. */
const REFUSALS: Readonly<Record<number, readonly [Reason, string]>> = {
  401: ['Unauthorized', 'the server has asked for the client to provide credentials'],
  403: ['Forbidden', ''],
  404: ['NotFound', 'the server could not find the requested resource'],
  405: ['MethodNotAllowed', 'the server does not allow this method on the requested resource'],
  409: ['Conflict', 'the server reported a conflict'],
  429: ['TooManyRequests', 'the server has received too many requests and has asked us to try again later'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: [
    'Timeout',
    'the server was unable to return a response in the time allotted, but may still be processing the request',
  ],
};

interface ProxyPorts {
  readonly admission: Pick<Admission, 'admitConnection'>;
  readonly backends: Pick<Backends, 'behind'>;
}

/** Any request below pods/, services/ or nodes/NAME/proxy: forwarded to the backend, which answers it. */
const proxy =
  ({ admission, backends }: ProxyPorts): VerbHandler =>
  async (request, reply) => {
    const { info, auditId } = request;
    const { req } = reply.raw;
    refuseDryRun(info);
    const mark = req.url?.indexOf('?') ?? -1;
    const query = mark < 0 ? '' : (req.url ?? '').slice(mark);
    await admission.admitConnection(request);
    const backend = await backends.behind(request.info);
    const upgrade = upgradeOf(reply);
    const path = info.subpath === '' ? '/' : info.subpath;
    if (upgrade !== undefined) {
      await passUpgrade({ auditId, backend, path: path + query }, upgrade);
      return undefined;
    }
    if (info.subpath === '' && (req.method === 'GET' || req.method === 'HEAD')) {
      // with the final slash, relative links of a page lead back here
      writeHead(request, reply, {
        code: 301,
        headers: ['Location', `${info.path}/${query}`, 'Content-Length', 0],
      }).end();
      return undefined;
    }
    const prefix = prefixOf(request);
    await forward({ auditId, backend, path, query, prefix }, reply);
    return undefined;
  };

/** The path up to and including `/proxy`. */
function prefixOf({ info }: ResourceRequest): string {
  const segments = info.path.split('/', info.namespace === '' ? 5 : 7);
  return `${segments.join('/')}/proxy`;
}

export const proxyVerbs = (ports: ProxyPorts): Verbs => {
  const handler = proxy(ports);
  return { get: handler, create: handler, update: handler, patch: handler, delete: handler, options: handler };
};
