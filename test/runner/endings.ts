import { test } from 'node:test';
import { allEndings } from './at-end.ts';

for (const [name, ending] of allEndings()) test(name, async () => void (await ending()));
