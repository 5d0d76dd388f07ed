import { type Checks, type MetricRegistry, type ProbePath, probeAnswer, probePath } from '@tidegate/service-kit';
import { methodNotAllowed } from '@tidegate/status';
import type { ApiServices } from '../aggregation/api-services.ts';
import { type CodingSettings, contentCoding } from '../answer/content-coding.ts';
import { pathNotFound, writeText } from '../answer/write-answer.ts';
import { writeDocument } from '../answer/write-document.ts';
import type { ServiceAccounts } from '../authn/service-accounts.ts';
import type { Discovery } from '../discovery/discovery.ts';
import { dump } from '../flow/dump.ts';
import type { Turns } from '../flow/turns.ts';
import type { CustomKinds } from '../live/custom-kinds.ts';
import type { Admitted } from './admitted.ts';

interface OtherPathsPorts {
  readonly discovery: Discovery;
  readonly customKinds: CustomKinds;
  readonly apiServices: Pick<ApiServices, 'known'>;
  /** undefined: the server has no key for tokens of service accounts */
  readonly serviceAccounts: Pick<ServiceAccounts, 'document'> | undefined;
  /** undefined: priority and fairness is off */
  readonly turns: Pick<Turns, 'seats'> | undefined;
  readonly checks: Checks;
  readonly metrics: Pick<MetricRegistry, 'exposition'>;
  readonly coding: CodingSettings;
}

/** Serves non-resource paths: probes, metrics, keys, dumps of flow control, discovery documents. */
export class OtherPaths {
  readonly #ports: OtherPathsPorts;

  constructor(ports: OtherPathsPorts) {
    this.#ports = ports;
  }

  async serve(admitted: Admitted): Promise<number> {
    const { request, reply, info, audit } = admitted;
    const probed = probePath(info.path);
    // with any method: roles decide who may use it
    if (probed !== undefined) return serveProbe(this.#ports.checks, admitted, probed);
    if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed();
    if (info.path === '/metrics') {
      const { text, contentType } = await this.#ports.metrics.exposition(request.headers.accept);
      return writeText(audit, reply, 200, text, { contentType });
    }
    const keys = this.#ports.serviceAccounts?.document(info.path);
    if (keys !== undefined) return writeText(audit, reply, 200, keys.text, { contentType: keys.type });
    const { turns } = this.#ports;
    const dumped = turns && dump(turns.seats, info);
    if (dumped !== undefined) return writeText(audit, reply, 200, dumped);
    const document = await discovered(this.#ports, info.path, request.headers.accept);
    if (document === undefined) return pathNotFound(audit, reply);
    const coding = contentCoding(this.#ports.coding, info, String(request.headers['accept-encoding'] ?? ''));
    return writeDocument({ request, reply, audit, info, coding }, document);
  }
}

function serveProbe(checks: Checks, { reply, info, audit }: Admitted, { endpoint, name }: ProbePath): number {
  const query = { verbose: info.query.get('verbose') !== undefined, exclude: info.query.all('exclude') };
  const answer = probeAnswer(checks.at(endpoint), name, query);
  return answer === undefined ? pathNotFound(audit, reply) : writeText(audit, reply, answer.code, answer.text);
}

const DISCOVERED = /^\/(apis|openapi)(\/|$)/;

/** Discovery includes custom kinds. Before a path counts as unknown, the current definitions are loaded. */
async function discovered(
  { customKinds, apiServices, discovery }: OtherPathsPorts,
  path: string,
  accept: string | undefined,
) {
  if (!DISCOVERED.test(path)) return discovery.document(path, accept);
  await customKinds.known();
  await apiServices.known();
  const document = await discovery.document(path, accept);
  if (document !== undefined) return document;
  await customKinds.latest();
  return discovery.document(path, accept);
}
