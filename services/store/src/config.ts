import { kitOptions, natsOptions, type Options, type OptionTable } from '@tidegate/service-kit';

/** The store's options: flags, environment and help come from this table, and nothing else reads them. */
export const options = {
  ...kitOptions,
  'postgres-url': {
    type: 'string',
    required: true,
    value: 'URL',
    help: 'PostgreSQL 15 or newer; several hosts for failover',
  },
  'postgres-direct-url': {
    type: 'string',
    default: '',
    value: 'URL',
    help: 'the same database past any pooler, for LISTEN; empty: --postgres-url',
  },
  'postgres-migration-url': {
    type: 'string',
    default: '',
    value: 'URL',
    help: 'the same database as the role that owns the schema; empty: --postgres-direct-url',
  },
  'postgres-prepare': {
    type: 'boolean',
    default: true,
    help: 'keep named statements; false behind a pooler in transaction mode that has none (pgbouncer before 1.21)',
  },
  'allow-data-loss': {
    type: 'boolean',
    default: false,
    help: 'start although PostgreSQL has fsync or synchronous_commit off: acknowledged writes are lost in a crash',
  },
  ...natsOptions,
  'nats-storage': {
    type: 'string',
    default: 'memory',
    help: 'where JetStream keeps changes on their way: memory or file',
  },
  'nats-replicas': { type: 'number', default: 1, help: 'servers that keep each change: 1, 3 or 5' },
  'nats-max-mib': { type: 'number', default: 256, help: 'how much JetStream may keep; what falls out is in the log' },
  'nats-max-age-seconds': { type: 'number', default: 0, help: 'how long JetStream keeps changes; 0: --window-seconds' },
  'window-seconds': { type: 'number', default: 300, help: 'how long history is kept for watches and exact lists' },
  'encryption-provider-config': {
    type: 'string',
    default: '',
    value: 'FILE',
    help: 'an EncryptionConfiguration: which resources are encrypted at rest, with which keys; read anew when it changes',
  },
  'gateway-url': {
    type: 'string',
    default: '',
    value: 'URL',
    help: 'where lifecycle work sends its requests; empty: objects only expire',
  },
  'gateway-ca-file': {
    type: 'string',
    default: '',
    value: 'FILE',
    help: "authority of the gateway's serving certificate",
  },
  'gateway-cert-file': {
    type: 'string',
    default: '',
    value: 'FILE',
    help: 'client certificate of the system controllers',
  },
  'gateway-key-file': { type: 'string', default: '', value: 'FILE', help: 'its key' },
  'gateway-token-file': {
    type: 'string',
    default: '',
    value: 'FILE',
    help: 'bearer token of the system controllers, instead of a certificate; read anew when it changes',
  },
  controllers: {
    type: 'list',
    default: ['*'],
    value: 'NAME,...',
    help: '* for all, a name for one, -name for not that one: clusterrole-aggregation-controller, garbage-collector-controller, namespace-controller, persistentvolume-protection-controller, persistentvolumeclaim-protection-controller, resourcequota-controller, root-ca-certificate-publisher-controller, serviceaccount-controller, volumeattributesclass-protection-controller',
  },
  'root-ca-file': {
    type: 'string',
    default: '',
    value: 'FILE',
    help: 'by which programs in the cluster know the gateway: kube-root-ca.crt in each namespace; empty: --gateway-ca-file',
  },
  'client-ca-file': {
    type: 'string',
    default: '',
    value: 'FILE',
    help: "authorities of clients' certificates, told to servers behind the API: the ConfigMap extension-apiserver-authentication; empty: none is told",
  },
  'requestheader-client-ca-file': {
    type: 'string',
    default: '',
    value: 'FILE',
    help: "authorities of the gateways' --proxy-client-cert-file, told in the same ConfigMap; empty: nothing about it is told",
  },
  'requestheader-allowed-names': {
    type: 'list',
    value: 'NAME,...',
    help: 'whose certificates of that authority may tell who a user is; empty: all of them',
  },
  'requestheader-username-headers': {
    type: 'list',
    default: ['X-Remote-User'],
    value: 'NAME,...',
    help: "where servers behind the API find a user's name",
  },
  'requestheader-uid-headers': {
    type: 'list',
    default: ['X-Remote-Uid'],
    value: 'NAME,...',
    help: 'and the UID',
  },
  'requestheader-group-headers': {
    type: 'list',
    default: ['X-Remote-Group'],
    value: 'NAME,...',
    help: 'and the groups',
  },
  'requestheader-extra-headers-prefix': {
    type: 'list',
    default: ['X-Remote-Extra-'],
    value: 'PREFIX,...',
    help: 'and how the headers begin that say what else is known',
  },
  'service-cluster-ip-range': {
    type: 'list',
    default: ['10.0.0.0/16'],
    value: 'CIDR,...',
    help: 'as the gateways have it: told in the ServiceCIDR kubernetes',
  },
  'advertise-address': {
    type: 'list',
    value: 'IP,...',
    help: "where the Service kubernetes leads; empty: what --gateway-url means, or this machine's address where that is loopback",
  },
} as const satisfies OptionTable;

export type StoreConfig = Options<typeof options>;
