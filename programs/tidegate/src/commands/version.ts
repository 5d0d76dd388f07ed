import { postgresBinaries, projectVersion } from '@tidegate/local';

/** the release of the API, as /version reports it */
const KUBERNETES_API = '1.35';

export async function run(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help')) {
    process.stdout.write('tidegate version\n\nPrints the versions of everything.\n');
    return 0;
  }
  process.stdout.write(
    `tidegate        ${projectVersion()}
Kubernetes API  ${KUBERNETES_API}
Node            ${process.versions.node}
PostgreSQL      ${postgresBinaries().version}
`,
  );
  return 0;
}
