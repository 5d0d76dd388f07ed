#!/usr/bin/env node
// The one command: start, status, stop, kubeconfig, backup, restore, import, version. Runs on any Node from 20; the rest runs on the pinned one.
import { join } from 'node:path';
import { ensureInstalled, root, runPinned } from './install.js';

const node = await ensureInstalled();
runPinned(node, [join(root, 'programs', 'tidegate', 'src', 'main.ts'), ...process.argv.slice(2)], { lifeline: true });
