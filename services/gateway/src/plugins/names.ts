import { closestName, OptionError } from '@tidegate/options';

interface Known {
  /** enabled by default: as in kube-apiserver, with one exception */
  readonly isDefault: boolean;
  /** switchable: it can be switched on and off; always: the store enforces it; absent: not supported */
  readonly support: 'switchable' | 'always' | 'absent';
}

const byDefault = (support: Known['support']): Known => ({ isDefault: true, support });
const optional = (support: Known['support']): Known => ({ isDefault: false, support });

/** Every plugin of Kubernetes 1.35, in the order in which they run. */
const plugins = {
  AlwaysAdmit: optional('absent'),
  NamespaceAutoProvision: optional('absent'),
  NamespaceLifecycle: byDefault('always'),
  NamespaceExists: optional('always'),
  LimitPodHardAntiAffinityTopology: optional('absent'),
  LimitRanger: byDefault('switchable'),
  ServiceAccount: byDefault('switchable'),
  NodeRestriction: optional('absent'),
  TaintNodesByCondition: byDefault('switchable'),
  AlwaysPullImages: optional('switchable'),
  ImagePolicyWebhook: optional('absent'),
  PodSecurity: byDefault('switchable'),
  PodNodeSelector: optional('absent'),
  Priority: byDefault('switchable'),
  DefaultTolerationSeconds: byDefault('switchable'),
  PodTolerationRestriction: optional('absent'),
  EventRateLimit: optional('absent'),
  ExtendedResourceToleration: optional('absent'),
  DefaultStorageClass: byDefault('switchable'),
  StorageObjectInUseProtection: byDefault('switchable'),
  // on by default, unlike in kube-apiserver: otherwise anyone who may write an object can have it deleted
  // (CVE-2025-5187)
  OwnerReferencesPermissionEnforcement: byDefault('switchable'),
  PersistentVolumeClaimResize: byDefault('switchable'),
  RuntimeClass: byDefault('switchable'),
  CertificateApproval: byDefault('switchable'),
  CertificateSigning: byDefault('switchable'),
  ClusterTrustBundleAttest: byDefault('switchable'),
  CertificateSubjectRestriction: byDefault('switchable'),
  DefaultIngressClass: byDefault('switchable'),
  DenyServiceExternalIPs: optional('switchable'),
  PodTopologyLabels: byDefault('absent'),
  NodeDeclaredFeatureValidator: byDefault('absent'),
  MutatingAdmissionPolicy: byDefault('absent'),
  MutatingAdmissionWebhook: byDefault('switchable'),
  ValidatingAdmissionPolicy: byDefault('switchable'),
  ValidatingAdmissionWebhook: byDefault('switchable'),
  ResourceQuota: byDefault('switchable'),
  AlwaysDeny: optional('absent'),
} as const satisfies Readonly<Record<string, Known>>;

export type PluginName = keyof typeof plugins;
const table: Readonly<Record<string, Known>> = plugins;

/** In the order in which they run. */
export const pluginNames = Object.keys(plugins) as PluginName[];

export interface PluginOptions {
  readonly enableAdmissionPlugins: readonly string[];
  readonly disableAdmissionPlugins: readonly string[];
}

/** The enabled plugins, from the two option lists, read as kube-apiserver reads them. */
export function enabledPlugins(options: PluginOptions): ReadonlySet<PluginName> {
  const [enabled, disabled] = [options.enableAdmissionPlugins, options.disableAdmissionPlugins];
  for (const name of enabled) refuseUnknown('enable', name);
  for (const name of disabled) refuseUnknown('disable', name);
  const both = enabled.filter((name) => disabled.includes(name));
  if (both.length > 0) {
    throw new OptionError(`${both.join(', ')} cannot be both in --enable- and in --disable-admission-plugins`);
  }
  for (const name of enabled) {
    if (table[name]?.support === 'absent') {
      throw new OptionError(`--enable-admission-plugins: this server does not have the admission plugin ${name}`);
    }
  }
  for (const name of disabled) {
    if (table[name]?.support === 'always' && table[name].isDefault) {
      throw new OptionError(`--disable-admission-plugins: ${name} cannot be disabled: the store enforces it`);
    }
  }
  const isOn = (name: PluginName) => enabled.includes(name) || (plugins[name].isDefault && !disabled.includes(name));
  return new Set(pluginNames.filter((name) => plugins[name].support === 'switchable' && isOn(name)));
}

function refuseUnknown(list: 'enable' | 'disable', name: string): void {
  if (Object.hasOwn(plugins, name)) return;
  const near = closestName(name, pluginNames);
  throw new OptionError(
    `--${list}-admission-plugins: unknown admission plugin ${name}${near === undefined ? '' : `; did you mean ${near}?`}`,
  );
}
