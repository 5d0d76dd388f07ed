/** What /version answers: a Kubernetes-compatible version, because clients choose their behaviour by it. */
export const version = {
  major: '1',
  minor: '35',
  emulationMajor: '1',
  emulationMinor: '35',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '34',
  gitVersion: 'v1.35.0+tidegate.0.1.0',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: `node ${process.versions.node}`,
  platform: `${process.platform}/${process.arch}`,
};
