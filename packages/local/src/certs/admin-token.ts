import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writePrivateFile } from '../data/private-file.ts';
import { isErrno, UserError } from '../user-error.ts';

/** Returns the local administrator's bearer token; creates it once, in kube-apiserver's format of token files. */
export function ensureAdminToken(file: string): string {
  const text = readText(file);
  if (text === undefined) {
    const token = randomBytes(32).toString('base64url');
    writePrivateFile(file, `${token},admin,admin,"system:masters"\n`);
    return token;
  }
  for (const line of text.split('\n')) {
    const [token, user] = line.split(',');
    if (user === 'admin' && token !== undefined && token !== '') return token;
  }
  throw new UserError(`${file} has no line for the user admin: remove it, and a new token is made`);
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined;
    throw error;
  }
}
