import { isDeepStrictEqual } from 'node:util';
import { parseAddress, unmapped } from '@tidegate/addresses';
import { type FieldError, invalidValue, requiredValue } from '@tidegate/status';
import type { Family } from './ranges.ts';
import { isHeadless, needsAddress, type ServiceSpec } from './service-spec.ts';

const SINGLE = 'SingleStack';
const PREFERRED = 'PreferDualStack';
const REQUIRED = 'RequireDualStack';
const other = (family: Family | undefined): Family => (family === 'IPv4' ? 'IPv6' : 'IPv4');

/**
 * Sets the defaults of ipFamilyPolicy and ipFamilies from each other, from the requested addresses, and from the
 * cluster's families. Returns the field errors; after an error nothing more is set.
 */
export function setFamilies(
  spec: ServiceSpec,
  old: ServiceSpec | undefined,
  configured: readonly Family[],
): FieldError[] {
  if (!needsAddress(spec) || isUntouched(spec, old)) return [];
  const selectorless = Object.keys(spec.selector ?? {}).length === 0;
  const headlessAlone = isHeadless(spec) && selectorless;
  spec.ipFamilyPolicy ??= old?.ipFamilyPolicy ?? (headlessAlone ? REQUIRED : SINGLE);
  const wrong = [...checkAddresses(spec), ...(old === undefined ? [] : checkChange(spec, old))];
  if (wrong.length > 0) return wrong;
  const misfit = checkPolicy(spec, old);
  const families = inferFamilies(spec, configured, misfit);
  if (misfit.length > 0) return misfit;
  spec.ipFamilies = families;
  if (headlessAlone) {
    if (families.length === 0) families.push(configured[0] as Family);
    if (families.length < 2 && spec.ipFamilyPolicy !== SINGLE) families.push(other(families[0]));
    return [];
  }
  const missing = checkConfigured(spec, families, configured);
  if (missing.length > 0) return missing;
  if (families.length === 0) families.push(configured[0] as Family);
  if (spec.ipFamilyPolicy !== SINGLE && families.length === 1 && configured.length === 2)
    families.push(other(families[0]));
  return [];
}

/** A PreferDualStack Service keeps its families, even when the cluster's families have changed. */
function isUntouched(spec: ServiceSpec, old: ServiceSpec | undefined): boolean {
  if (old === undefined || spec.type === 'ExternalName' || old.type === 'ExternalName') return false;
  if (spec.ipFamilyPolicy !== PREFERRED || old.ipFamilyPolicy !== PREFERRED) return false;
  return isDeepStrictEqual(spec.clusterIPs, old.clusterIPs) && isDeepStrictEqual(spec.ipFamilies, old.ipFamilies);
}

function checkAddresses({ clusterIP, clusterIPs = [], ipFamilies = [] }: ServiceSpec): FieldError[] {
  const field = 'spec.clusterIPs';
  if (clusterIP && clusterIPs.length === 0) return [requiredValue(field)];
  if (clusterIP && clusterIPs[0] !== clusterIP)
    return [invalidValue(field, clusterIPs, 'first value must match `clusterIP`')];
  if (!clusterIP && clusterIPs.length > 0) {
    return [invalidValue(field, clusterIPs, 'must be empty when `clusterIP` is not specified')];
  }
  if (clusterIPs[0] === 'None') {
    return clusterIPs.length > 1 ? [invalidValue(field, clusterIPs, "'None' must be the first and only value")] : [];
  }
  const words = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
  const wrong = clusterIPs.flatMap((ip, i) =>
    parseAddress(ip) === undefined ? [invalidValue(`${field}[${i}]`, ip, words)] : [],
  );
  if (wrong.length > 0) return wrong;
  if (clusterIPs.length > 2) return [invalidValue(field, clusterIPs, 'may only hold up to 2 values')];
  if (clusterIPs.length === 2 && familyOf(clusterIPs[0]) === familyOf(clusterIPs[1])) {
    return [invalidValue(field, clusterIPs, 'may specify no more than one IP for each IP family')];
  }
  return clusterIPs.flatMap((ip, i) => {
    const family = ipFamilies[i];
    if (family === undefined || family === familyOf(ip)) return [];
    return [invalidValue(`${field}[${i}]`, ip, `expected an ${family} value as indicated by \`ipFamilies[${i}]\``)];
  });
}

function checkChange(spec: ServiceSpec, old: ServiceSpec): FieldError[] {
  if (!needsAddress(old) || (isHeadless(spec) && isHeadless(old))) return [];
  const [before = [], now = []] = [old.clusterIPs, spec.clusterIPs];
  if (before.length > 0 && now.length === 0) {
    return [invalidValue('spec.clusterIPs[0]', now, 'primary clusterIP can not be unset')];
  }
  return before.flatMap((ip, i) =>
    now[i] === undefined || now[i] === ip
      ? []
      : [invalidValue(`spec.clusterIPs[${i}]`, now, 'may not change once set')],
  );
}

function checkPolicy(spec: ServiceSpec, old: ServiceSpec | undefined): FieldError[] {
  const field = 'spec.ipFamilyPolicy';
  const policy = spec.ipFamilyPolicy;
  if (policy === SINGLE) {
    if (old !== undefined && isDeepStrictEqual(spec.clusterIPs, old.clusterIPs))
      spec.clusterIPs = spec.clusterIPs?.slice(0, 1) ?? [];
    if (old !== undefined && isDeepStrictEqual(spec.ipFamilies, old.ipFamilies))
      spec.ipFamilies = spec.ipFamilies?.slice(0, 1) ?? [];
    const must = (what: string) =>
      invalidValue(
        field,
        policy,
        `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`,
      );
    return [
      ...(spec.clusterIPs?.length === 2 ? [must('cluster IPs')] : []),
      ...(spec.ipFamilies?.length === 2 ? [must('IP families')] : []),
    ];
  }
  const fewer = (name: 'clusterIPs' | 'ipFamilies') => {
    const count = spec[name]?.length ?? 0;
    return count > 0 && count < (old?.[name]?.length ?? 0);
  };
  const must = (what: string) => invalidValue(field, policy, `must be 'SingleStack' to release the secondary ${what}`);
  return [...(fewer('clusterIPs') ? [must('cluster IP')] : []), ...(fewer('ipFamilies') ? [must('IP family')] : [])];
}

/** The families that the Service requests, by name or by an address. */
function inferFamilies(spec: ServiceSpec, configured: readonly Family[], wrong: FieldError[]): Family[] {
  const families = [...(spec.ipFamilies ?? [])];
  const addresses = isHeadless(spec) ? [] : (spec.clusterIPs ?? []);
  for (const [i, ip] of addresses.entries()) {
    if (i < families.length) continue;
    const family = familyOf(ip);
    if (configured.includes(family)) families.push(family);
    else wrong.push(invalidValue(`spec.clusterIPs[${i}]`, addresses, `${family} is not configured on this cluster`));
  }
  return families;
}

function checkConfigured(
  { ipFamilyPolicy }: ServiceSpec,
  families: readonly Family[],
  configured: readonly Family[],
): FieldError[] {
  const dual = ipFamilyPolicy === REQUIRED && configured.length < 2;
  return [
    ...(dual
      ? [invalidValue('spec.ipFamilyPolicy', ipFamilyPolicy, 'this cluster is not configured for dual-stack services')]
      : []),
    ...families.flatMap((family, i) =>
      configured.includes(family)
        ? []
        : [invalidValue(`spec.ipFamilies[${i}]`, family, 'not configured on this cluster')],
    ),
  ];
}

function familyOf(address: string | undefined): Family {
  const found = parseAddress(address ?? '');
  return found === undefined ? 'IPv4' : unmapped(found).family;
}
