/** A program that some tests need, and that neither the project nor every system includes. */
interface Tool {
  readonly words: string;
  /** the page with installation instructions */
  readonly page: string;
}

const BUILT = 'or Go 1.25 or newer to build it';

/** The code that starts a tool also finds it: first on the PATH, then in the project's cache. */
const tools = {
  kubectl: { words: `kubectl, ${BUILT}`, page: 'https://kubernetes.io/docs/tasks/tools/' },
  helm: { words: `Helm 3.22 or newer of version 3, ${BUILT}`, page: 'https://helm.sh/docs/intro/install/' },
  nats: {
    words: `nats-server, ${BUILT}`,
    page: 'https://docs.nats.io/running-a-nats-service/introduction/installation',
  },
  go: { words: 'Go 1.25 or newer', page: 'https://go.dev/doc/install' },
  chromium: {
    words: 'Chromium on the path or in CHROME_PATH',
    page: 'https://www.chromium.org/getting-involved/download-chromium/',
  },
  git: { words: 'git', page: 'https://git-scm.com/downloads' },
  python3: { words: 'Python 3 with venv', page: 'https://www.python.org/downloads/' },
  npm: { words: 'npm', page: 'https://nodejs.org/en/download' },
  mvn: { words: 'Maven with a JDK', page: 'https://maven.apache.org/install.html' },
  cargo: { words: 'Rust with cargo', page: 'https://www.rust-lang.org/tools/install' },
  unshare: { words: 'unshare and nsenter of util-linux', page: 'https://github.com/util-linux/util-linux' },
} satisfies Record<string, Tool>;

export type ToolName = keyof typeof tools;

/** The prefix of all such reasons; the summary of a run counts the skipped tests for each of them. */
export const NEEDS = 'needs ';

/** The reason for skipping a test when a tool is missing; `trouble` is the error of building or downloading it. */
export function needs(name: ToolName, trouble?: string): string {
  const { words, page } = tools[name];
  const why = trouble === undefined ? '' : ` (${trouble.trim().split('\n')[0]})`;
  return `${NEEDS}${words}${why}: ${page}`;
}
