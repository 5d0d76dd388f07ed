import { join } from 'node:path';
import { type BuildInfo, buildInfo } from '@tidegate/service-kit';

const ROOT = join(import.meta.dirname, '../../../..');

/** The release of Kubernetes whose API is spoken here. */
export const release = { major: '1', minor: '35' } as const;

/** What /version answers: a Kubernetes-compatible version, because clients choose their behaviour by it. */
export async function version(build: Promise<BuildInfo> = buildInfo(ROOT)) {
  const { commit, treeState, date } = await build;
  return {
    ...release,
    emulationMajor: '1',
    emulationMinor: '35',
    minCompatibilityMajor: '1',
    minCompatibilityMinor: '34',
    gitVersion: 'v1.35.0+tidegate.0.1.0',
    gitCommit: commit,
    gitTreeState: treeState,
    buildDate: date,
    goVersion: '',
    compiler: `node ${process.versions.node}`,
    platform: `${process.platform}/${process.arch}`,
  };
}
