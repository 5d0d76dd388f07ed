import { posix } from 'node:path';

/** A file of the checkout; its path is relative to the root. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** A folder with a package.json. */
export interface Workspace {
  /** `packages/wire`, `programs/backup`, `services/store`, `test`; the root is '' */
  readonly dir: string;
  readonly name: string;
  /** including development and peer dependencies */
  readonly dependencies: readonly string[];
}

/**
 * The rings of packages/, innermost first. A package may use only packages of rings before its own.
 */
export const rings: ReadonlyArray<readonly string[]> = [
  ['addresses', 'flow-control', 'options', 'rbac', 'revision', 'status'],
  ['feature-gates', 'request-info', 'schema', 'selectors', 'wire'],
  ['cel', 'kubeconfig'],
  ['collection', 'kinds', 'managed-fields'],
  ['service-kit'],
  ['local'],
  ['testkit'],
  ['database'],
];

const SCOPE = '@tidegate/';
const STATEMENT = /^(?:import|export)\b(?:[^'"`;]*?\bfrom)?\s*['"]([^'"]+)['"]/gm;
const CALL = /\bimport\(\s*['"]([^'"]+)['"]/g;

/** One line for each import in a forbidden direction. */
export function importViolations(files: readonly SourceFile[], workspaces: readonly Workspace[]): string[] {
  const unplaced = workspaces
    .filter(({ dir }) => dir.startsWith('packages/') && ringOf(dir) === undefined)
    .map(({ dir }) => `${dir}: belongs to no ring; add it to scripts/import-rules.ts`);
  return [...unplaced, ...files.flatMap((file) => violationsIn(file, workspaces))];
}

/** The specifiers that a text imports or re-exports, in order. */
export function specifiersOf(text: string): string[] {
  const found = [...text.matchAll(STATEMENT), ...text.matchAll(CALL)];
  return found.sort((a, b) => a.index - b.index).map((match) => match[1] as string);
}

function violationsIn(file: SourceFile, workspaces: readonly Workspace[]): string[] {
  const from = workspaceOf(file.path, workspaces);
  if (from === undefined) return [];
  const lines: string[] = [];
  for (const specifier of new Set(specifiersOf(file.text))) {
    const why = specifier.startsWith('.')
      ? whyNotPath(from, posix.join(posix.dirname(file.path), specifier), workspaces)
      : whyNotName(from, { specifier, isTest: isForTests(file.path) }, workspaces);
    if (why !== undefined) lines.push(`${file.path}: '${specifier}' ${why}`);
  }
  return lines;
}

function isForTests(path: string): boolean {
  return path.endsWith('.test.ts') || path.includes('/testing/');
}

/** A relative path must stay in its own workspace. */
function whyNotPath(from: Workspace, target: string, workspaces: readonly Workspace[]): string | undefined {
  const to = workspaceOf(target, workspaces);
  if (to === undefined || to.dir === from.dir) return undefined;
  return whyNotDirection(from, to) ?? `reaches into ${to.dir || 'the root'}: only the exports of its index may be used`;
}

function whyNotName(
  from: Workspace,
  { specifier, isTest }: { readonly specifier: string; readonly isTest: boolean },
  workspaces: readonly Workspace[],
): string | undefined {
  if (!specifier.startsWith(SCOPE)) return undefined;
  const [, short = '', ...inner] = specifier.split('/');
  const name = `${SCOPE}${short}`;
  const to = workspaces.find((workspace) => workspace.name === name);
  if (to === undefined) return 'is no package of this project';
  // the folder `testing` has what the tests of several workspaces share
  const isTesting = (from.dir === 'test' || isTest) && inner.join('/') === 'testing';
  const direction = whyNotDirection(from, to, isTesting);
  if (direction !== undefined) return direction;
  if (inner.length > 0 && !isTesting) return `reaches into ${to.dir}: only the exports of its index may be used`;
  return from.dependencies.includes(name) ? undefined : `is not declared in ${posix.join(from.dir, 'package.json')}`;
}

/** The tests of a program may use the `testing` folder of a service. */
function whyNotDirection(from: Workspace, to: Workspace, isTesting = false): string | undefined {
  if (from.dir === to.dir) return undefined;
  if (to.dir.startsWith('programs/')) return 'is a program: nothing imports one';
  const service = to.dir.startsWith('services/');
  if (from.dir.startsWith('services/') && service) return 'is another service: services communicate only by gRPC';
  if (from.dir.startsWith('programs/') && service && !isTesting) return 'is a service: programs never import one';
  if (!from.dir.startsWith('packages/')) return undefined;
  if (service) return 'is a service: packages never import one';
  const [own, other] = [ringOf(from.dir), ringOf(to.dir)];
  if (own === undefined || other === undefined || other < own) return undefined;
  return `is in ring ${other}, and ${from.dir} in ring ${own}: a package uses lower rings only`;
}

function ringOf(dir: string): number | undefined {
  const ring = rings.findIndex((names) => names.includes(dir.slice('packages/'.length)));
  return ring < 0 ? undefined : ring;
}

/** The innermost workspace that contains the path. */
function workspaceOf(path: string, workspaces: readonly Workspace[]): Workspace | undefined {
  const holding = workspaces.filter(({ dir }) => dir === '' || path.startsWith(`${dir}/`));
  return holding.sort((a, b) => b.dir.length - a.dir.length)[0];
}
