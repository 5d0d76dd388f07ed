import { closestName, OptionError } from '@tidegate/options';
import { readResources } from './facts/resources.ts';

const STABLE = /^v\d+$/;

/** Whether a group version is served without `--runtime-config`. */
export function isStable({ version }: { readonly version: string }): boolean {
  return STABLE.test(version);
}

/**
 * Reads `--runtime-config` as kube-apiserver does: `coordination.k8s.io/v1beta1=true,api/beta=false`. Returns the group
 * versions that it enables. A value for one group version has precedence over `api/beta`, and that over `api/all`.
 */
export function readRuntimeConfig(text: string): ReadonlySet<string> {
  const versions = readResources();
  const beta = versions.filter((one) => !isStable(one)).map(nameOf);
  const stable = versions.filter(isStable).map(nameOf);
  const known = ['api/all', 'api/ga', 'api/beta', ...stable, ...beta];
  const values = new Map<string, boolean>();
  for (const part of text.split(',').filter((item) => item.trim() !== '')) {
    const [name = '', value = 'true', ...rest] = part.trim().split('=');
    if (rest.length > 0 || (value !== 'true' && value !== 'false'))
      throw new OptionError(`--runtime-config takes VERSION=true or VERSION=false, not ${JSON.stringify(part.trim())}`);
    if (!known.includes(name)) throw unknownVersion(name, known);
    if (value === 'false' && (stable.includes(name) || name === 'api/ga' || name === 'api/all'))
      throw new OptionError(`--runtime-config cannot disable ${name}: stable versions are always served`);
    values.set(name, value === 'true');
  }
  const isEnabled = (name: string) => values.get(name) ?? values.get('api/beta') ?? values.get('api/all') ?? false;
  return new Set(beta.filter(isEnabled));
}

/** As in an apiVersion: `apps/v1`, or `v1` for the core group. */
export function nameOf({ group, version }: { readonly group: string; readonly version: string }): string {
  return group === '' ? version : `${group}/${version}`;
}

function unknownVersion(name: string, known: readonly string[]): OptionError {
  const near = closestName(name, known);
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  return new OptionError(`--runtime-config has an unknown API version ${name}${hint}`);
}
