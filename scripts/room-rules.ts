import { posix } from 'node:path';
import { type SourceFile, specifiersOf } from './import-rules.ts';

/** The rooms of one workspace: the folders directly below its `src`, and the files beside them. */
export interface RoomOrder {
  /** From top to bottom: a file imports only from its own room and from the rooms after it in this list. */
  readonly order: readonly string[];
  /**
   * Imports that break the rules and are still allowed: `room -> room` for the order, `file -> file` for the order and
   * for circles, with paths below `src`. This list only shrinks: an exception that is not needed is an error.
   */
  readonly exceptions: readonly string[];
}

/**
 * The order of rooms of each workspace. A workspace that is not in this table is not checked. Tests and benchmarks may
 * import from every room of their workspace.
 */
export const roomOrders: Readonly<Record<string, RoomOrder>> = {
  'programs/tidegate': {
    order: ['main.ts', 'commands', 'launch', 'import', 'processes', 'screen'],
    exceptions: [],
  },
  'services/gateway': {
    order: [
      'testing',
      'main.ts',
      'service.ts',
      // the only room that knows all others: it makes them and gives each the ports that it needs
      'compose',
      'health',
      'listener',
      'serving',
      'verbs',
      'aggregation',
      'proxy',
      'writing',
      'reading',
      'quota',
      'admission',
      'plugins',
      'allocation',
      'patch',
      'ownership',
      'flow',
      'audit',
      'authn',
      'tokens',
      'authz',
      'answer',
      'discovery',
      'live',
      'objects',
      'conversion',
      'callouts',
      'mirror',
      'clients',
      'telemetry',
      'limits',
      'codec',
      'configuration',
      'metrics.ts',
      'config.ts',
      'access-options.ts',
      // what describes one request; every room may take it, and it imports none
      'request',
    ],
    exceptions: [],
  },
  'services/store': {
    order: [
      'testing',
      'main.ts',
      'service.ts',
      'controller-port.ts',
      'config.ts',
      'rpc',
      'publish',
      'storage',
      'encryption',
      'metrics.ts',
      // imports no other room, so that it can run in another process; storage implements its port
      'controllers',
    ],
    exceptions: [],
  },
  'services/watch': {
    order: [
      'main.ts',
      'service.ts',
      'rpc',
      'follow',
      'self-check',
      'feed',
      'window',
      'clients',
      'metrics.ts',
      'config.ts',
    ],
    exceptions: [],
  },
  'services/health': {
    order: [
      'testing',
      'main.ts',
      'service.ts',
      'app.ts',
      'aggregate.ts',
      'board',
      'history',
      'report.ts',
      'metrics.ts',
      'probes',
      'config.ts',
    ],
    exceptions: [],
  },
};

interface Import {
  readonly from: string;
  readonly to: string;
}

/** One line for each import that goes up, each circle of files, and each entry of the table that is wrong. */
export function roomViolations(files: readonly SourceFile[], orders = roomOrders): string[] {
  return Object.entries(orders).flatMap(([workspace, rooms]) => violationsIn(workspace, rooms, files));
}

function violationsIn(workspace: string, { order, exceptions }: RoomOrder, files: readonly SourceFile[]): string[] {
  const source = `${workspace}/src/`;
  const own = files.filter(({ path }) => path.startsWith(source));
  const present = new Set(own.map(({ path }) => roomOf(path.slice(source.length))));
  const imports = own.flatMap((file) => importsOf(file, source));
  const used = new Set<string>();
  const isExcepted = (...texts: string[]) => {
    const found = texts.filter((text) => exceptions.includes(text));
    for (const text of found) used.add(text);
    return found.length > 0;
  };
  const upward = imports.filter(({ from, to }) => isUpward(order, from, to));
  const refused = upward.filter((one) => !isExcepted(filesOf(one), roomsOf(one)));
  const circular = circularIn(imports);
  const circles = circlesIn(circular.filter((one) => !isExcepted(filesOf(one))));
  return [
    ...[...present]
      .filter((room) => !order.includes(room) && !isTest(room))
      .map((room) => `${source}${room}: has no place in the order of rooms; add it to scripts/room-rules.ts`),
    ...order
      .filter((room) => !present.has(room))
      .map(
        (room) => `${source}${room}: is in the order of rooms but has no files; remove it from scripts/room-rules.ts`,
      ),
    ...refused.map(
      ({ from, to }) => `${source}${from}: imports ${to}, and the room ${roomOf(to)} is above ${roomOf(from)}`,
    ),
    ...circles.map((circle) => `${source}${circle[0]}: imports itself in a circle: ${circle.join(' -> ')}`),
    ...exceptions
      .filter((text) => !used.has(text))
      .map((text) => `${workspace}: the exception '${text}' is not needed; remove it from scripts/room-rules.ts`),
  ];
}

/** Imports inside one workspace; paths are relative to its `src`. */
function importsOf({ path, text }: SourceFile, source: string): Import[] {
  const targets = specifiersOf(text)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => posix.join(posix.dirname(path), specifier));
  const inside = new Set(targets.filter((target) => target.startsWith(source)));
  return [...inside].map((target) => ({ from: path.slice(source.length), to: target.slice(source.length) }));
}

/** A room that has no place is reported by itself, and not for each of its imports. */
function isUpward(order: readonly string[], from: string, to: string): boolean {
  if (isTest(from)) return false;
  const [above, below] = [order.indexOf(roomOf(from)), order.indexOf(roomOf(to))];
  return above >= 0 && below >= 0 && below < above;
}

function isTest(path: string): boolean {
  return /\.(?:test|bench)\.ts$/.test(path);
}

function roomOf(path: string): string {
  return path.split('/')[0] as string;
}

function filesOf({ from, to }: Import): string {
  return `${from} -> ${to}`;
}

function roomsOf({ from, to }: Import): string {
  return `${roomOf(from)} -> ${roomOf(to)}`;
}

/** The imports that are part of a circle. */
function circularIn(imports: readonly Import[]): Import[] {
  let left = [...imports];
  // a file that imports nothing, or that nothing imports, is in no circle; without such files little is left to search
  for (let before = -1; before !== left.length; ) {
    before = left.length;
    const [importing, imported] = [new Set(left.map(({ from }) => from)), new Set(left.map(({ to }) => to))];
    left = left.filter(({ from, to }) => importing.has(to) && imported.has(from));
  }
  return left.filter(({ from, to }) => wayBetween(left, to, from) !== undefined);
}

/** Shortest circles, until each file that is in a circle is named. */
function circlesIn(imports: readonly Import[]): string[][] {
  const circles: string[][] = [];
  for (const { from, to } of imports) {
    if (circles.some((circle) => circle.includes(from))) continue;
    const way = wayBetween(imports, to, from);
    if (way !== undefined) circles.push([from, ...way]);
  }
  return circles;
}

/** The files of a shortest way from one file to another, both included. */
function wayBetween(imports: readonly Import[], start: string, end: string): string[] | undefined {
  const targets = Map.groupBy(imports, ({ from }) => from);
  const ways = new Map([[start, [start]]]);
  for (const [file, way] of ways) {
    if (file === end) return way;
    for (const { to } of targets.get(file) ?? []) if (!ways.has(to)) ways.set(to, [...way, to]);
  }
  return undefined;
}
