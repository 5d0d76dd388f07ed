import type { Admission } from '../admission/admission.ts';
import { upgradeOf } from '../answer/upgrade-reply.ts';
import { writeHead } from '../answer/write-answer.ts';
import type { Backends } from '../proxy/backends.ts';
import { forward, refuseDryRun } from '../proxy/forward.ts';
import { passUpgrade } from '../proxy/upgrade.ts';
import type { ResourceRequest, VerbHandler, Verbs } from '../request/resource-request.ts';

interface ProxyPorts {
  readonly admission: Pick<Admission, 'admitConnection'>;
  readonly backends: Pick<Backends, 'behind'>;
}

/** Any request below pods/, services/ or nodes/NAME/proxy: sent on to what is behind it, and answered by that. */
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
      // links that are relative to a page must find their way back here
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

/** The path up to and with `/proxy`. */
function prefixOf({ info }: ResourceRequest): string {
  const segments = info.path.split('/', info.namespace === '' ? 5 : 7);
  return `${segments.join('/')}/proxy`;
}

export const proxyVerbs = (ports: ProxyPorts): Verbs => {
  const handler = proxy(ports);
  return { get: handler, create: handler, update: handler, patch: handler, delete: handler, options: handler };
};
