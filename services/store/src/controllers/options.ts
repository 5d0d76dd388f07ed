import type { Options, OptionTable } from '@tidegate/service-kit';

/** The options of the controllers, which are part of the store's. */
export const controllerOptions = {
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

export type ControllerConfig = Options<typeof controllerOptions>;
