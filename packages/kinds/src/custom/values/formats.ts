import { parseAddress, parseNetwork } from '@tidegate/addresses';

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:?\d{2})$/;
const DURATION = /^-?(\d+(\.\d*)?\s*(ns|us|µs|μs|ms|s|m|h|d|w|[a-z]+)\s*)+$|^0$/;
const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const HOST = /^[a-zA-Z0-9_]([a-zA-Z0-9_-]{0,62})(\.[a-zA-Z0-9_]([a-zA-Z0-9_-]{0,62}))*\.?$/;
const MAC = /^([0-9a-f]{2}[:-]){5}([0-9a-f]{2}[:-]){0,14}[0-9a-f]{2}$/i;
const BYTE = /^[A-Za-z0-9+/]*={0,2}$/;
const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,255}$/;
const HEX_COLOR = /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/;
const SHORT_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const LONG_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

const isTime = (text: string): boolean => TIME.test(text) && !Number.isNaN(Date.parse(text));

/** The checked formats, by name without dashes. Other formats are not checked. */
const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  byte: (text) => text.length % 4 === 0 && BYTE.test(text),
  cidr: (text) => parseNetwork(text) !== undefined,
  date: (text) => DATE.test(text) && !Number.isNaN(Date.parse(text)),
  datetime: isTime,
  duration: (text) => text.length < 100 && DURATION.test(text),
  email: (text) => EMAIL.test(text),
  hexcolor: (text) => HEX_COLOR.test(text),
  hostname: (text) => text.length <= 255 && HOST.test(text),
  ipv4: (text) => parseAddress(text)?.family === 'IPv4',
  ipv6: (text) => parseAddress(text)?.family === 'IPv6',
  k8slongname: (text) => text.length <= 253 && LONG_NAME.test(text),
  k8sshortname: (text) => text.length <= 63 && SHORT_NAME.test(text),
  mac: (text) => MAC.test(text),
  uri: (text) => URL.canParse(text) || text.startsWith('/') || parseAddress(text) !== undefined,
  uuid: (text) => UUID.test(text),
};

/** The check of a format; undefined for a format that is not checked. */
export function formatCheck(format: string | undefined): ((text: string) => boolean) | undefined {
  const name = (format ?? '').replaceAll('-', '');
  return Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
}
