import { closestName, OptionError } from '@tidegate/options';
import { kubernetesGates } from './kubernetes-gates.ts';

/** The gates that have an effect, with their defaults. */
const defaults = {
  APIResponseCompression: true,
  AllowUnsafeMalformedObjectDeletion: false,
  AuthorizePodWebsocketUpgradeCreatePermission: true,
  CBORServingAndStorage: false,
  ListFromCacheSnapshot: true,
  PodLogsQuerySplitStreams: false,
  PortForwardWebsockets: true,
  TranslateStreamCloseWebsocketRequests: true,
  WatchList: true,
} as const satisfies Record<string, boolean>;

export type FeatureGate = keyof typeof defaults;

export interface FeatureGates {
  enabled(gate: FeatureGate): boolean;
  /** one sentence for each gate that is accepted but has no effect */
  readonly notices: readonly string[];
}

/** Parses `Name=true,Other=false`, as kube-apiserver does. For an unknown name the error suggests the closest one. */
export function readFeatureGates(text: string): FeatureGates {
  const values = new Map<string, boolean>(Object.entries(defaults));
  const notices: string[] = [];
  for (const part of text.split(',').filter((item) => item.trim() !== '')) {
    const [name = '', value, ...rest] = part
      .trim()
      .replace(/^kube:/, '')
      .split('=');
    if (rest.length > 0 || (value !== 'true' && value !== 'false')) {
      throw new OptionError(`--feature-gates takes Name=true or Name=false, not ${JSON.stringify(part.trim())}`);
    }
    if (Object.hasOwn(defaults, name)) values.set(name, value === 'true');
    else if (kubernetesGates.has(name)) notices.push(`The feature gate ${name} has no effect in this release.`);
    else throw unknownGate(name);
  }
  return { enabled: (gate) => values.get(gate) === true, notices };
}

function unknownGate(name: string): OptionError {
  const near = closestName(name, [...Object.keys(defaults), ...kubernetesGates]);
  return new OptionError(`unknown feature gate ${name}${near === undefined ? '' : `; did you mean ${near}?`}`);
}
