import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@tidegate/local';
import { loadAll } from 'js-yaml';
import { helm } from '../../support/helm.ts';

export const chart = join(projectRoot, 'charts', 'tidegate');
export const RELEASE = 'trial';
export const NAMESPACE = 'control';

// biome-ignore lint/suspicious/noExplicitAny: tests read fields of manifests of any kind
export type Manifest = any;

/** The names of the value sets in the chart's folder ci. */
export const valueSets: readonly string[] = readdirSync(join(chart, 'ci')).map((name) =>
  name.replace('-values.yaml', ''),
);

interface Rendered {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `helm template`, with these arguments. */
export function template(...args: readonly string[]): Rendered {
  const all = ['template', RELEASE, chart, '--namespace', NAMESPACE, '--kube-version', '1.35.0', ...args];
  const { status, stdout, stderr } = spawnSync(helm, all, { encoding: 'utf8', timeout: 30_000, maxBuffer: 64 << 20 });
  return { code: status, stdout, stderr };
}

export function fileOf(values: string): string {
  return join(chart, 'ci', `${values}-values.yaml`);
}

const known = new Map<string, readonly Manifest[]>();

/** The manifests for a value set; `set` are further values in the syntax of `--set-json`. */
export function render(values: string, ...set: string[]): readonly Manifest[] {
  const key = [values, ...set].join(' ');
  const before = known.get(key);
  if (before !== undefined) return before;
  const more = set.flatMap((text) => ['--set-json', text]);
  const { code, stdout, stderr } = template('-f', fileOf(values), ...more);
  if (code !== 0) throw new Error(`helm template with ${key} failed: ${stderr}`);
  const made = (loadAll(stdout) as Manifest[]).filter((one) => one !== null && one !== undefined);
  known.set(key, made);
  return made;
}

export function ofKind(manifests: readonly Manifest[], kind: string): readonly Manifest[] {
  return manifests.filter((one) => one.kind === kind);
}

/** The manifests that run pods, with the spec of the pod. */
export function workloads(
  manifests: readonly Manifest[],
): ReadonlyArray<{ name: string; part: string; labels: Record<string, string>; pod: Manifest; owner: Manifest }> {
  return manifests
    .filter(({ kind }) => ['Deployment', 'StatefulSet', 'Pod'].includes(kind))
    .map((owner) => {
      const { metadata, spec } = owner.kind === 'Pod' ? owner : owner.spec.template;
      const part = metadata.labels['app.kubernetes.io/component'];
      return { name: owner.metadata.name, part, labels: metadata.labels, pod: spec, owner };
    });
}

/** Whether a matchLabels selector selects an object with these labels. */
export function matchesLabels(selector: Record<string, string>, labels: Record<string, string>): boolean {
  return Object.entries(selector).every(([name, value]) => labels[name] === value);
}
