import type { Manifest } from './render.ts';

/** A field, or `!field` where it must be there, and what it holds. */
interface Fields {
  readonly [name: string]: 'text' | 'flag' | 'number' | 'texts' | 'labels' | Fields | readonly [Fields];
}

const metadata: Fields = { '!name': 'text', namespace: 'text', labels: 'labels', annotations: 'labels' };
const reference: Fields = { '!name': 'text', kind: 'text', group: 'text' };

/** The fields of others' kinds that the chart may use, by their published definitions. */
const KINDS: Readonly<Record<string, Fields>> = {
  'cert-manager.io/v1/Issuer': {
    '!metadata': metadata,
    '!spec': { selfSigned: { crlDistributionPoints: 'texts' }, ca: { '!secretName': 'text' } },
  },
  'cert-manager.io/v1/Certificate': {
    '!metadata': metadata,
    '!spec': {
      isCA: 'flag',
      commonName: 'text',
      '!secretName': 'text',
      duration: 'text',
      renewBefore: 'text',
      usages: 'texts',
      dnsNames: 'texts',
      ipAddresses: 'texts',
      privateKey: { algorithm: 'text', size: 'number', rotationPolicy: 'text' },
      '!issuerRef': reference,
    },
  },
  'monitoring.coreos.com/v1/ServiceMonitor': {
    '!metadata': metadata,
    '!spec': {
      '!selector': { matchLabels: 'labels' },
      podTargetLabels: 'texts',
      '!endpoints': [{ port: 'text', path: 'text', interval: 'text' }],
    },
  },
};

export function foreignFields(manifest: Manifest): string[] {
  const { apiVersion, kind, ...rest } = manifest;
  const fields = KINDS[`${apiVersion}/${kind}`];
  return fields === undefined ? [`nobody knows the kind ${kind} of ${apiVersion}`] : wrongIn(fields, rest, '');
}

function wrongIn(fields: Fields, value: Manifest, path: string): string[] {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return [`${path}: no object`];
  const missing = Object.keys(fields).filter((name) => name.startsWith('!') && value[name.slice(1)] === undefined);
  const wrong = Object.entries(value).flatMap(([name, item]) => {
    const form = fields[name] ?? fields[`!${name}`];
    const at = `${path}.${name}`;
    if (form === undefined) return [`unknown field ${at}`];
    if (Array.isArray(form))
      return (item as Manifest[]).flatMap((one, i) => wrongIn(form[0] as Fields, one, `${at}[${i}]`));
    if (typeof form === 'object') return wrongIn(form as Fields, item, at);
    return isOf(form, item) ? [] : [`${at}: no ${form}: ${JSON.stringify(item)}`];
  });
  return [...missing.map((name) => `${path}.${name.slice(1)}: required`), ...wrong];
}

function isOf(form: unknown, value: unknown): boolean {
  if (form === 'texts') return Array.isArray(value) && value.every((item) => typeof item === 'string');
  if (form === 'labels') {
    return typeof value === 'object' && Object.values(value ?? {}).every((item) => typeof item === 'string');
  }
  return typeof value === (form === 'text' ? 'string' : form === 'flag' ? 'boolean' : 'number');
}
