import { type ClusterAccess, readClusterAccess } from '@tidegate/kubeconfig';
import { dataDirAt, defaultDataDir, readRunState, UserError } from '@tidegate/local';
import { helpText, OptionError, type OptionTable, readOptions } from '@tidegate/options';
import { ClusterClient } from '../import/cluster-client.ts';
import { importCluster } from '../import/import-cluster.ts';
import { processTerminal, Screen } from '../screen/screen.ts';

export const table = {
  'from-kubeconfig': { type: 'string', required: true, value: 'FILE', help: 'the kubeconfig of the source cluster' },
  context: {
    type: 'string',
    default: '',
    value: 'NAME',
    help: 'a context of that file (default: its current context)',
  },
  kubeconfig: { type: 'string', default: '', value: 'FILE', help: 'the kubeconfig of the target' },
  'data-dir': {
    type: 'string',
    default: defaultDataDir,
    value: 'DIR',
    help: 'the data directory of the target, instead of its kubeconfig',
  },
  namespace: { type: 'list', help: 'only objects in these namespaces; may be repeated' },
  resource: { type: 'list', help: 'only these resources: configmaps, deployments.apps; may be repeated' },
  replace: { type: 'boolean', default: false, help: 'replace existing objects by those of the source' },
  'chunk-size': { type: 'number', default: 500, value: 'N', help: 'the number of objects of a page' },
  'dry-run': { type: 'boolean', default: false, help: 'only print what would be imported' },
} as const satisfies OptionTable;

const about = `tidegate import --from-kubeconfig FILE [option...]

Copies the objects of any Kubernetes-compatible cluster through its API, without their status and without events.
Exit code 1: some objects failed; the others were copied.

${helpText(table)}
`;

const CONCURRENCY = 8;

export async function run(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help')) {
    process.stdout.write(about);
    return 0;
  }
  const options = readOptions(table, argv, process.env);
  const { fromKubeconfig, context, replace, chunkSize, dryRun } = options;
  const from = accessIn(fromKubeconfig, context);
  const to = accessIn(targetKubeconfig(options));
  if (from.server === to.server)
    throw new OptionError(`both kubeconfigs are for ${to.server}: there is nothing to copy`);
  const source = new ClusterClient(from, CONCURRENCY);
  const target = new ClusterClient(to, CONCURRENCY);
  const screen = new Screen(processTerminal(process.env, process.stderr));
  const startedAt = Date.now();
  try {
    const tally = await importCluster({
      source,
      target,
      selection: { namespaces: options.namespace, resources: options.resource },
      replace,
      dryRun,
      chunkSize,
      concurrency: CONCURRENCY,
      onStep: (text) => screen.progress(text),
    });
    screen.line(`${dryRun ? 'would import' : 'imported'} from ${from.server} to ${to.server}:`);
    for (const line of tally.summary()) process.stdout.write(`${line}\n`);
    screen.line(`${tally.objects} objects in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
    return tally.failed > 0 ? 1 : 0;
  } finally {
    source.close();
    target.close();
  }
}

function targetKubeconfig({ kubeconfig, dataDir }: { kubeconfig: string; dataDir: string }): string {
  if (kubeconfig !== '') return kubeconfig;
  const dir = dataDirAt(dataDir);
  return readRunState(dir.runFile)?.kubeconfig ?? dir.kubeconfig;
}

/** An incomplete kubeconfig is not an error of the command line. */
function accessIn(file: string, context = ''): ClusterAccess {
  try {
    return readClusterAccess(file, context);
  } catch (error) {
    if (error instanceof OptionError) throw new UserError(error.message, { cause: error });
    throw error;
  }
}
