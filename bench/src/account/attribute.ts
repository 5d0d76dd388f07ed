import { ROOMS, SOCKETS, SOCKETS_BETWEEN_SERVICES, type Stage } from './stages.ts';

/** A sampling profile, as the inspector delivers it. */
export interface Profile {
  readonly nodes: readonly ProfileNode[];
  /** the node of each sample */
  readonly samples: readonly number[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
}

/** What a process speaks on its sockets, where the stack of a sample does not show it. */
export interface Sockets {
  /** it serves clients: a service without clients speaks gRPC only */
  readonly hasClients: boolean;
  /** the clients of this operation speak HTTP/2, as gRPC does */
  readonly clientsSpeakHttp2: boolean;
}

/** Frames that V8 invents; the process does not run in the first two. */
const INVENTED: Readonly<Record<string, Stage | undefined>> = {
  '(root)': undefined,
  '(idle)': undefined,
  '(program)': 'native',
  '(garbage collector)': 'garbage collection and compilation',
};

/**
 * The share of each stage in the samples in which the process ran. A sample belongs to the stage of the innermost frame
 * whose file has one; native functions and those of Node's libraries belong to their caller.
 */
export function sharesOf(profile: Profile, sockets: Sockets): Map<Stage, number> {
  const stages = stagesOf(profile, sockets);
  const counts = new Map<Stage, number>();
  let total = 0;
  for (const id of profile.samples) {
    const stage = stages.get(id);
    if (stage === undefined) continue;
    counts.set(stage, (counts.get(stage) ?? 0) + 1);
    total++;
  }
  return new Map([...counts].map(([stage, count]) => [stage, count / total]));
}

/** The stage of each node; undefined where the process does not run. */
function stagesOf({ nodes }: Profile, sockets: Sockets): Map<number, Stage | undefined> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const stages = new Map<number, Stage | undefined>();
  const visit = (node: ProfileNode, caller: Stage | undefined): void => {
    const stage = stageOfNode(node, caller, sockets);
    stages.set(node.id, stage);
    for (const id of node.children ?? []) {
      const child = byId.get(id);
      if (child !== undefined) visit(child, stage);
    }
  };
  const [root] = nodes;
  if (root !== undefined) visit(root, undefined);
  return stages;
}

function stageOfNode({ callFrame }: ProfileNode, caller: Stage | undefined, sockets: Sockets): Stage | undefined {
  const { functionName, url } = callFrame;
  if (url === '' && functionName in INVENTED) return INVENTED[functionName];
  const stage = stageOfFile(url);
  if (stage === undefined) return caller ?? 'other';
  return stage === SOCKETS && url.startsWith('node:') ? stageOfSocket(url, caller, sockets) : stage;
}

/** Node's own code for sockets, which gRPC uses as well as the server for clients. */
function stageOfSocket(url: string, caller: Stage | undefined, sockets: Sockets): Stage {
  if (!sockets.hasClients) return caller === 'SQL' || caller === 'publish' ? caller : SOCKETS_BETWEEN_SERVICES;
  if (caller === SOCKETS_BETWEEN_SERVICES) return caller;
  const isHttp2 = url.startsWith('node:internal/http2');
  return isHttp2 && !sockets.clientsSpeakHttp2 ? SOCKETS_BETWEEN_SERVICES : SOCKETS;
}

const known = new Map<string, Stage | undefined>();

function stageOfFile(url: string): Stage | undefined {
  if (!known.has(url)) known.set(url, findStage(url));
  return known.get(url);
}

function findStage(url: string): Stage | undefined {
  const path = url.startsWith('node:') ? url : pathInProject(url);
  let longest = '';
  for (const room of Object.keys(ROOMS)) if (path.startsWith(room) && room.length > longest.length) longest = room;
  return ROOMS[longest];
}

function pathInProject(url: string): string {
  const installed = url.lastIndexOf('/node_modules/');
  return installed >= 0 ? url.slice(installed + 1) : (/(services|packages)\/[^/]+\/src\/.*$/.exec(url)?.[0] ?? '');
}
