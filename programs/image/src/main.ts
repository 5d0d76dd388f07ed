import { closestName, helpText, OptionError, readOptions } from '@tidegate/options';
import { certificateOptions, makeCertificates } from './certificates.ts';
import { smoke, smokeOptions } from './smoke.ts';

const PARTS = ['gateway', 'store', 'watch', 'health'];
/** the commands of the backup program, which reads its command itself */
const BACKUP = ['backup', 'restore'];
const HELP = `tidegate COMMAND [--option=value ...]

  gateway, store, watch, health   a part
  backup, restore                 of the database
  certificates                    authorities, certificates, tokens and a kubeconfig, for a trial
  smoke                           checks that a gateway is ready, and creates, reads and deletes an object

Each has --help.
`;

/** compiled in an image, TypeScript elsewhere */
const ENDING = import.meta.filename.endsWith('.ts') ? 'ts' : 'js';

async function main([command = '', ...argv]: readonly string[]): Promise<void> {
  if (PARTS.includes(command)) {
    // a part reads its arguments itself
    process.argv.splice(2, 1);
    await import(new URL(`../../../services/${command}/src/main.${ENDING}`, import.meta.url).href);
  } else if (BACKUP.includes(command)) {
    await import(new URL(`../../backup/src/main.${ENDING}`, import.meta.url).href);
  } else if (command === 'certificates') {
    if (argv.includes('--help')) process.stdout.write(`${helpText(certificateOptions)}\n`);
    else await makeCertificates(readOptions(certificateOptions, argv, process.env));
  } else if (command === 'smoke') {
    if (argv.includes('--help')) process.stdout.write(`${helpText(smokeOptions)}\n`);
    else await smoke(readOptions(smokeOptions, argv, process.env), (text) => process.stdout.write(`${text}\n`));
  } else if (command === '--help') {
    process.stdout.write(HELP);
  } else {
    const near = closestName(command, [...PARTS, ...BACKUP, 'certificates', 'smoke']);
    const hint = near === undefined ? '; see --help' : `; did you mean ${near}?`;
    throw new OptionError(command === '' ? 'say which part to start; see --help' : `unknown command ${command}${hint}`);
  }
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`tidegate: ${(error as Error).message}\n`);
  process.exitCode = error instanceof OptionError ? 2 : 1;
}
