import type { ForeignClient } from './foreign-client.ts';

export const go: ForeignClient = {
  language: 'go',
  takesMinutes: true,
  toolchain: 'go',
  probe: ['go', 'version'],
  fetch: [
    ['go', 'mod', 'init', 'tidegate/client'],
    ['go', 'get', ...['client-go', 'api', 'apimachinery'].map((name) => `k8s.io/${name}@v0.35.4`)],
  ],
  build: [['go', 'build', '-trimpath', '-ldflags=-s -w', '-o', 'client', '.']],
  env: { GOFLAGS: '-mod=mod', CGO_ENABLED: '0', GOWORK: 'off' },
  command: (home) => [`${home}/client`],
};

export const python: ForeignClient = {
  language: 'python',
  toolchain: 'python3',
  probe: ['python3', '-c', 'import venv, ensurepip'],
  fetch: [
    ['python3', '-m', 'venv', '--copies', 'venv'],
    [
      'venv/bin/python',
      '-m',
      'pip',
      'install',
      '--quiet',
      '--disable-pip-version-check',
      '--no-compile',
      'kubernetes==37.0.2',
    ],
  ],
  command: (home) => [`${home}/venv/bin/python`, `${home}/main.py`],
};

export const javascript: ForeignClient = {
  language: 'javascript',
  toolchain: 'npm',
  probe: ['npm', '--version'],
  fetch: [
    ['npm', 'install', '--prefix', '.', '--no-audit', '--no-fund', '--ignore-scripts', '@kubernetes/client-node@2.0.1'],
  ],
  command: (home) => [process.execPath, `${home}/main.mjs`],
};

export const java: ForeignClient = {
  language: 'java',
  takesMinutes: true,
  toolchain: 'mvn',
  probe: ['mvn', '--version'],
  fetch: [['mvn', '-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=target/lib']],
  build: [['mvn', '-q', '-B', 'compile']],
  command: (home) => ['java', '-cp', `${home}/target/classes:${home}/target/lib/*`, 'Main'],
};

export const rust: ForeignClient = {
  language: 'rust',
  takesMinutes: true,
  toolchain: 'cargo',
  probe: ['cargo', '--version'],
  fetch: [['cargo', 'fetch', '--quiet']],
  build: [['cargo', 'build', '--quiet', '--release']],
  command: (home) => [`${home}/target/release/client`],
};

const CONTROLLER_GEN = 'sigs.k8s.io/controller-tools/cmd/controller-gen';

/** An operator with controller-runtime; its definition is generated from its types. */
export const goOperator: ForeignClient = {
  language: 'go-operator',
  takesMinutes: true,
  toolchain: 'go',
  probe: ['go', 'version'],
  fetch: [
    ['go', 'mod', 'init', 'tidegate/client'],
    [
      'go',
      'get',
      'sigs.k8s.io/controller-runtime@v0.23.3',
      `${CONTROLLER_GEN}@v0.20.1`,
      ...['client-go', 'api', 'apimachinery', 'apiextensions-apiserver'].map((name) => `k8s.io/${name}@v0.35.4`),
    ],
  ],
  build: [
    ['go', 'run', CONTROLLER_GEN, 'object', 'crd', 'paths=./api', 'output:crd:dir=crds'],
    ['go', 'build', '-trimpath', '-ldflags=-s -w', '-o', 'client', '.'],
  ],
  env: { GOFLAGS: '-mod=mod', CGO_ENABLED: '0', GOWORK: 'off' },
  command: (home) => [`${home}/client`],
};

/** An operator with kube-rs; its definition is generated from its types. */
export const rustOperator: ForeignClient = { ...rust, language: 'rust-operator' };
