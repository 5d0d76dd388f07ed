import { test } from 'node:test';
import { takeEndings } from './at-end.ts';

for (const [name, ending] of takeEndings()) test(name, async () => void (await ending()));
