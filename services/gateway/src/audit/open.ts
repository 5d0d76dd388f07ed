import { closestName, OptionError, type Options } from '@tidegate/options';
import type { Kit } from '@tidegate/service-kit';
import type { options } from '../config.ts';
import { AuditTrail, declareAuditMetrics, type Mode, modes } from './audit-trail.ts';
import { LogFile } from './log-file.ts';
import { readPolicy } from './read-policy.ts';

type AuditOptions = Pick<
  Options<typeof options>,
  | 'auditPolicyFile'
  | 'auditLogPath'
  | 'auditLogMode'
  | 'auditLogMaxsize'
  | 'auditLogMaxbackup'
  | 'auditLogMaxage'
  | 'auditLogCompress'
  | 'auditLogTruncateMaxEventSize'
>;

/** Opens the audit log that the options configure; undefined: auditing is off. */
export function openAuditTrail(
  config: AuditOptions,
  kit: Pick<Kit, 'log' | 'metrics' | 'faults'>,
): AuditTrail | undefined {
  const { auditPolicyFile: file, auditLogPath: path } = config;
  const mode = readMode(config.auditLogMode);
  if (path === '') {
    if (file !== '') kit.log.warn('--audit-policy-file is given without --audit-log-path: no request is recorded.');
    return undefined;
  }
  if (file === '') {
    kit.log.warn('--audit-log-path is given without --audit-policy-file: no request is recorded.');
    return undefined;
  }
  if (config.auditLogMaxsize <= 0) throw new OptionError('--audit-log-maxsize must be more than 0');
  return new AuditTrail({
    policy: readPolicy(file),
    log: openLog(config, kit),
    mode,
    maxBytes: config.auditLogTruncateMaxEventSize,
    metrics: declareAuditMetrics(kit.metrics),
    warn: (error, words) => kit.log.warn({ err: error }, words),
  });
}

function openLog(config: AuditOptions, { faults }: Pick<Kit, 'faults'>): LogFile {
  const { auditLogPath: path, auditLogMaxbackup: maxBackups, auditLogMaxage: maxDays } = config;
  const maxBytes = config.auditLogMaxsize * 2 ** 20;
  try {
    const tidying = faults.place('tidy the audit log');
    return new LogFile({ path, maxBytes, maxBackups, maxDays, compresses: config.auditLogCompress, tidying });
  } catch (error) {
    throw new OptionError(`--audit-log-path ${path} cannot be written: ${(error as Error).message}`);
  }
}

function readMode(text: string): Mode {
  const found = modes.find((mode) => mode === text);
  if (found !== undefined) return found;
  const near = closestName(text, modes);
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  throw new OptionError(`--audit-log-mode is one of ${modes.join(', ')}, not ${JSON.stringify(text)}${hint}`);
}
