import type { JsonObject } from '@tidegate/schema';
import { type FieldError, invalidValue } from '@tidegate/status';
import { metaOf } from '../objects/generic-object.ts';
import { partOf } from '../rules/fields.ts';
import { baseline } from './baseline.ts';
import type { Check, Finding } from './check.ts';
import { restricted } from './restricted.ts';

const LEVELS = ['privileged', 'baseline', 'restricted'] as const;
type Level = (typeof LEVELS)[number];

/** A level, as of a release. */
export interface PodLevel {
  readonly level: Level;
  /** `latest`, `v1.33` */
  readonly version: string;
}

/** The pod security labels of a namespace. */
export interface PodPolicy {
  readonly enforce: PodLevel;
  readonly warn: PodLevel;
  /** violations are recorded in the audit event */
  readonly audit: PodLevel;
  /** invalid labels: enforcement is then restricted, and audit and warnings are off */
  readonly errors: readonly FieldError[];
}

const PREFIX = 'pod-security.kubernetes.io/';
const PRIVILEGED: PodLevel = { level: 'privileged', version: 'latest' };
const VERSION = /^v1\.(0|[1-9]\d*)$/;

type Labels = Readonly<Record<string, string>>;

/** undefined: the namespace has no such labels. */
export function podPolicyOf(labels: Labels): PodPolicy | undefined {
  if (!Object.keys(labels).some((key) => key.startsWith(PREFIX))) return undefined;
  const errors: FieldError[] = [];
  const enforce = levelOf(labels, 'enforce', { errors, otherwise: 'restricted' });
  const audit = levelOf(labels, 'audit', { errors, otherwise: 'privileged' });
  const warn = levelOf(labels, 'warn', { errors, otherwise: 'privileged' });
  const isEnforced = LEVELS.includes(labels[`${PREFIX}enforce`] as Level) && enforce.level !== 'privileged';
  if (labels[`${PREFIX}warn`] !== undefined || !isEnforced) return { enforce, warn, audit, errors };
  const version = labels[`${PREFIX}warn-version`] === undefined ? enforce.version : warn.version;
  return { enforce, warn: { level: enforce.level, version }, audit, errors };
}

function levelOf(
  labels: Labels,
  mode: string,
  { errors, otherwise }: { errors: FieldError[]; otherwise: Level },
): PodLevel {
  const [level, version] = [labels[PREFIX + mode], labels[`${PREFIX}${mode}-version`]];
  const isLevel = level === undefined || LEVELS.includes(level as Level);
  const isVersion = version === undefined || version === 'latest' || VERSION.test(version);
  const place = (label: string) => `metadata.labels[${PREFIX}${label}]`;
  if (!isLevel) errors.push(invalidValue(place(mode), level, `must be one of ${LEVELS.join(', ')}`));
  if (!isVersion) errors.push(invalidValue(place(`${mode}-version`), version, 'must be "latest" or "v1.x"'));
  return {
    level: level === undefined ? PRIVILEGED.level : isLevel ? (level as Level) : otherwise,
    version: version !== undefined && isVersion ? version : PRIVILEGED.version,
  };
}

/** `baseline:latest` */
export function podLevelText({ level, version }: PodLevel): string {
  return `${level}:${version}`;
}

/** Whether a level may reject pods that another level allows. */
export function isStricter(now: PodLevel, before: PodLevel): boolean {
  if (now.level === 'privileged' || podLevelText(now) === podLevelText(before)) return false;
  return now.version !== before.version || LEVELS.indexOf(now.level) > LEVELS.indexOf(before.level);
}

/** The newest release whose checks are implemented. */
const NEWEST = 35;

/** The findings of a level for a pod, or for a template. */
export function findingsAgainst({ level, version }: PodLevel, pod: JsonObject): Finding[] {
  if (level === 'privileged') return [];
  const minor = Math.min(NEWEST, Number(VERSION.exec(version)?.[1] ?? NEWEST));
  const holds = ({ since, until = NEWEST + 1 }: Check) => since <= minor && minor < until;
  const stays = ({ replacedSince = NEWEST + 1 }: Check) => level === 'baseline' || minor < replacedSince;
  const checks = [...baseline.filter((check) => holds(check) && stays(check))];
  if (level === 'restricted') checks.push(...restricted.filter(holds));
  const subject = { annotations: metaOf(pod).annotations ?? {}, spec: partOf(pod, 'spec') };
  return checks.map(({ evaluate }) => evaluate(subject)).filter((finding) => finding !== undefined);
}
