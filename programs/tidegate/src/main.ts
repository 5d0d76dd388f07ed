import { UserError } from '@tidegate/local';
import { closestName, OptionError } from '@tidegate/options';

interface Command {
  run(argv: readonly string[]): Promise<number>;
}

// Commands are loaded on demand, so that `status` does not load the code of `start`.
const commands: Readonly<Record<string, { about: string; load: () => Promise<Command> }>> = {
  start: { about: 'starts PostgreSQL, NATS and the four services', load: () => import('./commands/start.ts') },
  status: { about: 'shows the running parts', load: () => import('./commands/status.ts') },
  stop: { about: 'stops the running system, and keeps the data', load: () => import('./commands/stop.ts') },
  kubeconfig: { about: 'prints the kubeconfig of the data directory', load: () => import('./commands/kubeconfig.ts') },
  backup: { about: 'writes all objects to a file', load: () => import('./commands/backup.ts') },
  restore: { about: 'replaces the contents of a database by a backup', load: () => import('./commands/restore.ts') },
  import: { about: 'copies the objects of another cluster', load: () => import('./commands/import.ts') },
  version: { about: 'prints the versions of everything', load: () => import('./commands/version.ts') },
};

const usage = `tidegate COMMAND [option...]

${Object.entries(commands)
  .map(([name, command]) => `  ${name.padEnd(12)}${command.about}`)
  .join('\n')}

\`tidegate COMMAND --help\` shows the options of a command.
`;

async function main(argv: readonly string[]): Promise<number> {
  const [name, ...rest] = argv;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(usage);
    return name === undefined ? 2 : 0;
  }
  if (name === '--version') return (await import('./commands/version.ts')).run(rest);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    const near = closestName(name, Object.keys(commands));
    throw new OptionError(
      `unknown command ${name}${near === undefined ? `; there are ${Object.keys(commands).join(', ')}` : `; did you mean ${near}?`}`,
    );
  }
  return (await command.load()).run(rest);
}

async function exitCodeOf(argv: readonly string[]): Promise<number> {
  try {
    return await main(argv);
  } catch (error) {
    if (!(error instanceof OptionError || error instanceof UserError)) throw error;
    process.stderr.write(`tidegate: ${error.message}\n`);
    return error instanceof UserError ? error.exitCode : 2;
  }
}

process.exit(await exitCodeOf(process.argv.slice(2)));
