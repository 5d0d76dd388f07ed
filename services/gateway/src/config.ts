import { kitOptions, type OptionTable } from '@tidegate/service-kit';

/** The gateway's options: flags, environment and help come from this table, and nothing else reads them. */
export const options = {
  ...kitOptions,
  'bind-address': { type: 'string', default: '127.0.0.1', help: 'address for clients' },
  port: { type: 'number', default: 6443, help: 'port for clients; several gateways of one machine share it' },
  'tls-cert-file': { type: 'string', required: true, value: 'FILE', help: 'serving certificate' },
  'tls-private-key-file': { type: 'string', required: true, value: 'FILE', help: 'its key' },
  'client-ca-file': {
    type: 'string',
    default: '',
    value: 'FILE',
    help: 'clients with a certificate of this authority are who it says',
  },
  'token-auth-file': { type: 'list', value: 'FILE,...', help: 'lines of token,user,uid,"group1,group2"' },
  'service-account-signing-key-file': {
    type: 'string',
    default: '',
    value: 'FILE',
    help: 'private key (PEM, RSA or EC) that signs the tokens of service accounts; empty: there are none',
  },
  'service-account-key-file': {
    type: 'list',
    value: 'FILE,...',
    help: 'more keys whose tokens are taken, public or private',
  },
  'service-account-issuer': {
    type: 'list',
    default: ['https://kubernetes.default.svc.cluster.local'],
    value: 'URL,...',
    help: 'who issues the tokens of service accounts: the first in new ones, those of all are taken',
  },
  'authorization-mode': {
    type: 'list',
    default: ['RBAC'],
    value: 'NAME,...',
    help: 'RBAC: roles say who may do what; AlwaysAllow: everybody may do everything; Node is taken, and means roles here',
  },
  'api-audiences': {
    type: 'list',
    value: 'NAME,...',
    help: 'tokens of service accounts for this server are for one of these; empty: --service-account-issuer',
  },
  'store-addresses': { type: 'list', required: true, value: 'HOST:PORT,...', help: 'gRPC addresses of the stores' },
  'watch-addresses': {
    type: 'list',
    required: true,
    value: 'HOST:PORT,...',
    help: 'gRPC addresses of the watch service',
  },
  'feature-gates': {
    type: 'string',
    default: '',
    value: 'NAME=true,...',
    help: 'switches features of release 1.35 on and off',
  },
  'service-cluster-ip-range': {
    type: 'list',
    default: ['10.0.0.0/16'],
    value: 'CIDR,...',
    help: 'where Services get their cluster IPs: one range, or one of IPv4 and one of IPv6; the same for all gateways',
  },
  'service-node-port-range': {
    type: 'string',
    default: '30000-32767',
    value: 'FROM-TO',
    help: 'where Services get their node ports; the same for all gateways',
  },
  'kubelet-client-certificate': {
    type: 'string',
    default: '',
    value: 'FILE',
    help: 'shown to the kubelets of nodes, for logs and streams; empty: none',
  },
  'kubelet-client-key': { type: 'string', default: '', value: 'FILE', help: 'its key' },
  'kubelet-certificate-authority': {
    type: 'string',
    default: '',
    value: 'FILE',
    help: 'kubelets have certificates of this authority; empty: whoever answers is believed',
  },
  'kubelet-preferred-address-types': {
    type: 'list',
    default: ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'],
    value: 'TYPE,...',
    help: "which of a node's addresses is its kubelet's, the first that it has",
  },
  'kubelet-timeout': { type: 'number', default: 5000, value: 'MS', help: 'how long connecting to a kubelet may take' },
  'proxy-allow-addresses': {
    type: 'list',
    value: 'CIDR,...',
    help: 'loopback and link-local addresses that nodes, pods and services may have all the same',
  },
  'proxy-client-cert-file': {
    type: 'string',
    default: '',
    value: 'FILE',
    help: 'shown to servers behind the API (APIService), which believe its bearer who a user is; empty: none',
  },
  'proxy-client-key-file': { type: 'string', default: '', value: 'FILE', help: 'its key' },
  'aggregated-service-addresses': {
    type: 'list',
    value: 'NAMESPACE/NAME=HOST:PORT,...',
    help: 'where the Services of servers behind the API are reached, instead of where they lead: for trying out',
  },
  'enable-priority-and-fairness': {
    type: 'boolean',
    default: true,
    help: 'priority levels and flow schemas say whose turn it is; false: only the two numbers below hold, and nobody waits',
  },
  'max-requests-inflight': {
    type: 'number',
    default: 400,
    help: 'requests that read and are served at a time; with the next one, the seats of all priority levels',
  },
  'max-mutating-requests-inflight': { type: 'number', default: 200, help: 'the same of those that write' },
  'mirror-memory-mib': {
    type: 'number',
    default: 1024,
    help: 'memory for all mirrors; beyond it those go that nobody used for longest',
  },
  'mirror-largest-mib': {
    type: 'number',
    default: 64,
    help: 'larger collections are held for watches only; lists of them are passed on from the watch service',
  },
  'response-compression-min-bytes': {
    type: 'number',
    default: 1024,
    help: 'answers to get and list of this size and more are gzip for clients that take it',
  },
  'mirror-window-memory-mib': {
    type: 'number',
    default: 256,
    help: 'memory for the history of all mirrors; what does not fit is read from the store',
  },
} as const satisfies OptionTable;
