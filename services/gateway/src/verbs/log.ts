import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FeatureGates } from '@tidegate/feature-gates';
import { ApiError, badRequest, internalError, type Reason } from '@tidegate/status';
import type { FastifyReply } from 'fastify';
import { isGone } from '../answer/drained.ts';
import { upgradeOf } from '../answer/upgrade-reply.ts';
import { writeHead } from '../answer/write-answer.ts';
import type { Objects } from '../objects/objects.ts';
import { ask, type Backend, dial, hiddenDetails, hostAndPort } from '../proxy/backend.ts';
import type { Backends } from '../proxy/backends.ts';
import { sendBack } from '../proxy/forward.ts';
import { containerOf, nodeOf } from '../proxy/kubelets.ts';
import { readLogOptions, sendToSocket } from '../proxy/pod-logs.ts';
import { readSome } from '../proxy/upgrade.ts';
import type { ResourceRequest, VerbHandler, Verbs } from '../request/resource-request.ts';

interface LogPorts {
  readonly gates: FeatureGates;
  readonly objects: Pick<Objects, 'core'>;
  readonly backends: Pick<Backends, 'kubelet'>;
}

/** GET of pods/NAME/log: the kubelet's text, as it comes. */
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
    upgradeOf(reply)?.heed();
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

/** What clients are told of a kubelet's refusal. Where it would send them is none of their business. */
async function refuse({ info }: ResourceRequest, response: IncomingMessage): Promise<void> {
  const { statusCode: code = 0 } = response;
  if (code >= 200 && code <= 206) return;
  if (code < 400 && response.headers.location !== undefined) throw new ApiError('', 'redirects forbidden');
  const said = (await readSome(response)).toString('utf8');
  if (code === 500) throw internalError(said);
  if (code === 400) throw badRequest(said);
  const [reason, words] = REFUSALS[code] ?? (code > 500 ? ['InternalError' as const, FAILED(said)] : UNKNOWN(code));
  throw new ApiError(reason, `${words === '' ? said : words} ( pods/log ${info.name})`, {
    // what is no error there is one here
    code: code < 400 ? 500 : code,
    details: { name: info.name, kind: 'pods/log' },
  });
}

const FAILED = (said: string) =>
  `an error on the server (${JSON.stringify(said)}) has prevented the request from succeeding`;
const UNKNOWN = (code: number) =>
  ['', `the server responded with the status code ${code} but did not return more information`] as const;

/** By code; no words: those of the kubelet. */
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
