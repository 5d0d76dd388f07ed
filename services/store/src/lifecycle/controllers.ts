import { OptionError } from '@tidegate/options';

const NAMES = [
  'namespace-controller',
  'root-ca-certificate-publisher-controller',
  'serviceaccount-controller',
] as const;
export type Controller = (typeof NAMES)[number];

/**
 * Which controllers run, by a list in kube-controller-manager's form: `*` is all of them, a name is that one, and `-name`
 * is not that one, wherever it stands.
 */
export function enabledControllers(list: readonly string[]): ReadonlySet<Controller> {
  for (const item of list) {
    if (item === '*' || NAMES.includes(item.replace(/^-/, '') as Controller)) continue;
    throw new OptionError(`--controllers knows ${NAMES.join(', ')}, each also with - before it, and *, not ${item}`);
  }
  const runs = (name: Controller) => !list.includes(`-${name}`) && (list.includes(name) || list.includes('*'));
  return new Set(NAMES.filter(runs));
}
