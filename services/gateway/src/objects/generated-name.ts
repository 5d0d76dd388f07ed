import { randomInt } from 'node:crypto';

const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const BASE_LENGTH = 58;

/** A name that begins as it is wanted, and ends by chance. */
export function generatedName(base: string): string {
  let name = base.slice(0, BASE_LENGTH);
  for (let i = 0; i < 5; i++) name += ALPHABET.charAt(randomInt(ALPHABET.length));
  return name;
}
