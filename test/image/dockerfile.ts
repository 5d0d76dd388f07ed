import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { projectRoot } from '@tidegate/local';

export const dockerfile = readFileSync(join(projectRoot, 'Dockerfile'), 'utf8');

/** What a container starts, before its own arguments. */
export function entrypoint(): string[] {
  const [, list = ''] = /^ENTRYPOINT (\[.*\])$/m.exec(dockerfile) ?? [];
  return JSON.parse(list) as string[];
}

/** What is run in the first stage, line by line. */
export function buildCommands(): string[] {
  const [, first = ''] = dockerfile.split(/^FROM .*$/m);
  return [...first.matchAll(/^RUN (.*)$/gm)].map(([, command = '']) => command);
}

export function checkedIn(): string[] {
  return execFileSync('git', ['ls-files'], { cwd: projectRoot, encoding: 'utf8' }).trim().split('\n');
}

/** What of it a container engine gets to see. */
export function sentToBuild(): string[] {
  return checkedIn().filter((file) => !isIgnored(file));
}

/** As a container engine reads .dockerignore: the last line that fits decides. */
function isIgnored(file: string): boolean {
  const lines = readFileSync(join(projectRoot, '.dockerignore'), 'utf8').split('\n');
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .reduce((ignored, line) => {
      const pattern = line.replace(/^!/, '');
      const fits = matchesGlob(file, pattern) || file.startsWith(`${pattern}/`) || matchesGlob(file, `${pattern}/**`);
      return fits ? !line.startsWith('!') : ignored;
    }, false);
}
