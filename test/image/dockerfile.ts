import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { projectRoot } from '@tidegate/local';

export const dockerfile = readFileSync(join(projectRoot, 'Dockerfile'), 'utf8');

/** The entrypoint of the image. */
export function entrypoint(): string[] {
  const [, list = ''] = /^ENTRYPOINT (\[.*\])$/m.exec(dockerfile) ?? [];
  return JSON.parse(list) as string[];
}

/** The RUN commands of the first stage. */
export function buildCommands(): string[] {
  const [, first = ''] = dockerfile.split(/^FROM .*$/m);
  return [...first.matchAll(/^RUN (.*)$/gm)].map(([, command = '']) => command);
}

export function checkedIn(): string[] {
  return execFileSync('git', ['ls-files'], { cwd: projectRoot, encoding: 'utf8' }).trim().split('\n');
}

/** The files that are part of the build context. */
export function sentToBuild(): string[] {
  return checkedIn().filter((file) => !isIgnored(file));
}

/** Whether .dockerignore excludes the file; the last matching line decides. */
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
