import { OptionError } from '@tidegate/options';

const NAMES = [
  'clusterrole-aggregation-controller',
  'garbage-collector-controller',
  'namespace-controller',
  'persistentvolume-protection-controller',
  'persistentvolumeclaim-protection-controller',
  'resourcequota-controller',
  'root-ca-certificate-publisher-controller',
  'serviceaccount-controller',
  'volumeattributesclass-protection-controller',
] as const;
export type Controller = (typeof NAMES)[number];

/** what kube-controller-manager called them once, and takes still; and what everybody writes */
const ALIASES: Readonly<Record<string, Controller>> = {
  'clusterrole-aggregation': 'clusterrole-aggregation-controller',
  garbagecollector: 'garbage-collector-controller',
  'garbage-collector': 'garbage-collector-controller',
  namespace: 'namespace-controller',
  'pv-protection': 'persistentvolume-protection-controller',
  'pvc-protection': 'persistentvolumeclaim-protection-controller',
  resourcequota: 'resourcequota-controller',
  'root-ca-cert-publisher': 'root-ca-certificate-publisher-controller',
  serviceaccount: 'serviceaccount-controller',
};

/**
 * Which controllers run, by a list in kube-controller-manager's form: `*` is all of them, a name is that one, and `-name`
 * is not that one, wherever it stands.
 */
export function enabledControllers(list: readonly string[]): ReadonlySet<Controller> {
  const named = list.map((item) => {
    if (item === '*') return item;
    const [minus, name] = item.startsWith('-') ? ['-', item.slice(1)] : ['', item];
    const known = NAMES.find((one) => one === name) ?? (Object.hasOwn(ALIASES, name) ? ALIASES[name] : undefined);
    if (known !== undefined) return minus + known;
    throw new OptionError(`--controllers knows ${NAMES.join(', ')}, each also with - before it, and *, not ${item}`);
  });
  const runs = (name: Controller) => !named.includes(`-${name}`) && (named.includes(name) || named.includes('*'));
  return new Set(NAMES.filter(runs));
}
