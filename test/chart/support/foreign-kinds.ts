import type { Manifest } from './render.ts';

/** The fields of an object and their types; `!field` is required. */
interface Fields {
  readonly [name: string]: 'text' | 'flag' | 'number' | 'texts' | 'labels' | Fields | readonly [Fields];
}

const metadata: Fields = { '!name': 'text', namespace: 'text', labels: 'labels', annotations: 'labels' };
const reference: Fields = { '!name': 'text', kind: 'text', group: 'text' };

/** The fields that the chart may use of kinds of cert-manager and the Prometheus operator, as published. */
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
  'monitoring.coreos.com/v1/PrometheusRule': {
    '!metadata': metadata,
    '!spec': {
      '!groups': [
        {
          '!name': 'text',
          '!rules': [
            { record: 'text', alert: 'text', '!expr': 'text', for: 'text', labels: 'labels', annotations: 'labels' },
          ],
        },
      ],
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

export function foreignKindMistakes(manifest: Manifest): string[] {
  const { apiVersion, kind, ...rest } = manifest;
  const fields = KINDS[`${apiVersion}/${kind}`];
  return fields === undefined ? [`unknown kind ${kind} of ${apiVersion}`] : mistakesIn(fields, rest, '');
}

function mistakesIn(fields: Fields, value: Manifest, path: string): string[] {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return [`${path}: not an object`];
  const missing = Object.keys(fields).filter((name) => name.startsWith('!') && value[name.slice(1)] === undefined);
  const wrong = Object.entries(value).flatMap(([name, item]) => {
    const form = fields[name] ?? fields[`!${name}`];
    const at = `${path}.${name}`;
    if (form === undefined) return [`unknown field ${at}`];
    if (Array.isArray(form))
      return (item as Manifest[]).flatMap((one, i) => mistakesIn(form[0] as Fields, one, `${at}[${i}]`));
    if (typeof form === 'object') return mistakesIn(form as Fields, item, at);
    return hasType(form, item) ? [] : [`${at}: not of type ${form}: ${JSON.stringify(item)}`];
  });
  return [...missing.map((name) => `${path}.${name.slice(1)}: required`), ...wrong];
}

function hasType(form: unknown, value: unknown): boolean {
  if (form === 'texts') return Array.isArray(value) && value.every((item) => typeof item === 'string');
  if (form === 'labels') {
    return typeof value === 'object' && Object.values(value ?? {}).every((item) => typeof item === 'string');
  }
  return typeof value === (form === 'text' ? 'string' : form === 'flag' ? 'boolean' : 'number');
}
