import { closestName, OptionError } from '@tidegate/options';

interface Known {
  /** on where nobody says otherwise: as in kube-apiserver, but for one */
  readonly isUsual: boolean;
  /** built: it can be switched. always: the store itself sees to it. absent: this server does not have it */
  readonly here: 'built' | 'always' | 'absent';
}

const usual = (here: Known['here']): Known => ({ isUsual: true, here });
const onDemand = (here: Known['here']): Known => ({ isUsual: false, here });

/** Every plugin of Kubernetes 1.35, in the order in which they are asked. */
const plugins = {
  AlwaysAdmit: onDemand('absent'),
  NamespaceAutoProvision: onDemand('absent'),
  NamespaceLifecycle: usual('always'),
  NamespaceExists: onDemand('always'),
  LimitPodHardAntiAffinityTopology: onDemand('absent'),
  LimitRanger: usual('built'),
  ServiceAccount: usual('built'),
  NodeRestriction: onDemand('absent'),
  TaintNodesByCondition: usual('built'),
  AlwaysPullImages: onDemand('absent'),
  ImagePolicyWebhook: onDemand('absent'),
  PodSecurity: usual('built'),
  PodNodeSelector: onDemand('absent'),
  Priority: usual('built'),
  DefaultTolerationSeconds: usual('built'),
  PodTolerationRestriction: onDemand('absent'),
  EventRateLimit: onDemand('absent'),
  ExtendedResourceToleration: onDemand('absent'),
  DefaultStorageClass: usual('built'),
  StorageObjectInUseProtection: usual('built'),
  // unlike in kube-apiserver: without it whoever may write a thing can have it deleted, as by CVE-2025-5187
  OwnerReferencesPermissionEnforcement: usual('built'),
  PersistentVolumeClaimResize: usual('built'),
  RuntimeClass: usual('built'),
  CertificateApproval: usual('built'),
  CertificateSigning: usual('built'),
  ClusterTrustBundleAttest: usual('built'),
  CertificateSubjectRestriction: usual('built'),
  DefaultIngressClass: usual('built'),
  DenyServiceExternalIPs: onDemand('absent'),
  PodTopologyLabels: usual('absent'),
  NodeDeclaredFeatureValidator: usual('absent'),
  MutatingAdmissionPolicy: usual('absent'),
  MutatingAdmissionWebhook: usual('built'),
  ValidatingAdmissionPolicy: usual('built'),
  ValidatingAdmissionWebhook: usual('built'),
  ResourceQuota: usual('built'),
  AlwaysDeny: onDemand('absent'),
} as const satisfies Readonly<Record<string, Known>>;

export type PluginName = keyof typeof plugins;
const table: Readonly<Record<string, Known>> = plugins;

/** In the order in which they are asked. */
export const pluginNames = Object.keys(plugins) as PluginName[];

export interface PluginOptions {
  readonly enableAdmissionPlugins: readonly string[];
  readonly disableAdmissionPlugins: readonly string[];
}

/** Which plugins are asked, by the two lists of names, read as kube-apiserver reads them. */
export function enabledPlugins(options: PluginOptions): ReadonlySet<PluginName> {
  const [enabled, disabled] = [options.enableAdmissionPlugins, options.disableAdmissionPlugins];
  for (const name of enabled) refuseUnknown('enable', name);
  for (const name of disabled) refuseUnknown('disable', name);
  const both = enabled.filter((name) => disabled.includes(name));
  if (both.length > 0) {
    throw new OptionError(`${both.join(', ')} cannot be both in --enable- and in --disable-admission-plugins`);
  }
  for (const name of enabled) {
    if (table[name]?.here === 'absent') {
      throw new OptionError(`--enable-admission-plugins: this server does not have the admission plugin ${name}`);
    }
  }
  for (const name of disabled) {
    if (table[name]?.here === 'always' && table[name].isUsual) {
      throw new OptionError(
        `--disable-admission-plugins: ${name} cannot be switched off: the store itself refuses what has no namespace`,
      );
    }
  }
  const isOn = (name: PluginName) => enabled.includes(name) || (plugins[name].isUsual && !disabled.includes(name));
  return new Set(pluginNames.filter((name) => plugins[name].here === 'built' && isOn(name)));
}

function refuseUnknown(list: 'enable' | 'disable', name: string): void {
  if (Object.hasOwn(plugins, name)) return;
  const near = closestName(name, pluginNames);
  throw new OptionError(
    `--${list}-admission-plugins: there is no admission plugin ${name}${near === undefined ? '' : `; did you mean ${near}?`}`,
  );
}
