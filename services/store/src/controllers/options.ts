import type { Options, OptionTable } from '@tidegate/service-kit';

/** The options of the controllers, which are part of the store's. */
export const controllerOptions = {
  'gateway-url': {
    type: 'string',
    default: '',
    value: 'URL',
    help: 'the gateway to which the controllers send requests; empty: only expired objects are deleted',
  },
  'gateway-ca-file': {
    type: 'string',
    default: '',
    value: 'FILE',
    help: "the authority of the gateway's serving certificate",
  },
  'gateway-cert-file': {
    type: 'string',
    default: '',
    value: 'FILE',
    help: 'the client certificate of the controllers',
  },
  'gateway-key-file': { type: 'string', default: '', value: 'FILE', help: 'the key of that certificate' },
  'gateway-token-file': {
    type: 'string',
    default: '',
    value: 'FILE',
    help: 'the bearer token of the controllers, instead of a certificate; reloaded when it changes',
  },
  controllers: {
    type: 'list',
    default: ['*'],
    value: 'NAME,...',
    help: 'the enabled controllers: * for all, a name for one, -name to disable one: clusterrole-aggregation-controller, garbage-collector-controller, namespace-controller, persistentvolume-protection-controller, persistentvolumeclaim-protection-controller, resourcequota-controller, root-ca-certificate-publisher-controller, serviceaccount-controller, volumeattributesclass-protection-controller',
  },
  'root-ca-file': {
    type: 'string',
    default: '',
    value: 'FILE',
    help: 'the authorities with which programs in the cluster verify the gateway, published as kube-root-ca.crt in each namespace; empty: --gateway-ca-file',
  },
  'client-ca-file': {
    type: 'string',
    default: '',
    value: 'FILE',
    help: 'the authorities of client certificates, published for aggregated API servers in the ConfigMap extension-apiserver-authentication; empty: none is published',
  },
  'requestheader-client-ca-file': {
    type: 'string',
    default: '',
    value: 'FILE',
    help: "the authorities of the gateways' --proxy-client-cert-file, published in the same ConfigMap; empty: none is published",
  },
  'requestheader-allowed-names': {
    type: 'list',
    value: 'NAME,...',
    help: 'the common names of certificates of that authority that may name a user; empty: all of them',
  },
  'requestheader-username-headers': {
    type: 'list',
    default: ['X-Remote-User'],
    value: 'NAME,...',
    help: "the headers with a user's name, for aggregated API servers",
  },
  'requestheader-uid-headers': {
    type: 'list',
    default: ['X-Remote-Uid'],
    value: 'NAME,...',
    help: "the headers with a user's UID",
  },
  'requestheader-group-headers': {
    type: 'list',
    default: ['X-Remote-Group'],
    value: 'NAME,...',
    help: "the headers with a user's groups",
  },
  'requestheader-extra-headers-prefix': {
    type: 'list',
    default: ['X-Remote-Extra-'],
    value: 'PREFIX,...',
    help: "the prefix of headers with a user's extra information",
  },
  'service-cluster-ip-range': {
    type: 'list',
    default: ['10.0.0.0/16'],
    value: 'CIDR,...',
    help: 'the same as for the gateways; published in the ServiceCIDR kubernetes',
  },
  'runtime-config': {
    type: 'string',
    default: '',
    value: 'VERSION=true,...',
    help: 'API versions that are enabled in the gateways, which have the same option',
  },
  'advertise-address': {
    type: 'list',
    value: 'IP,...',
    help: "the addresses of the Service kubernetes; empty: those of the host in --gateway-url, or this machine's address where that is loopback",
  },
} as const satisfies OptionTable;

export type ControllerConfig = Options<typeof controllerOptions>;
