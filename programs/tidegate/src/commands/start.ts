import { helpText } from '@tidegate/options';
import { claimDataDir } from '../launch/claim.ts';
import { Launcher } from '../launch/launcher.ts';
import { splitPartOptions } from '../launch/part-options.ts';
import { readStartOptions, startOptions } from '../launch/start-options.ts';
import { listenForStop } from '../launch/stop-signals.ts';
import { Screen } from '../screen/screen.ts';

const about = `tidegate start [option...]

Starts PostgreSQL, NATS and the four services, and keeps them running until Ctrl-C.
Each option is also an environment variable: --data-dir is TIDEGATE_DATA_DIR.

${helpText(startOptions)}

Options of the services, such as --oidc-issuer-url, are passed on to the services that have them.
`;

export async function run(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help')) {
    process.stdout.write(about);
    return 0;
  }
  const { own, variables } = await splitPartOptions(argv);
  const options = { ...readStartOptions(own, process.env), partVariables: variables };
  const signals = listenForStop();
  const screen = new Screen();
  const claim = await claimDataDir(options);
  const launcher = new Launcher(options, screen, signals);
  let outcome: 'done' | 'failed' = 'failed';
  try {
    await launcher.run();
    screen.line(`stopping (${signals.closing.reason})`);
    outcome = 'done';
    return 0;
  } finally {
    await launcher.stop();
    claim.release(outcome);
  }
}
