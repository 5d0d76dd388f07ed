#!/usr/bin/env node
// The command line: start, status, stop, kubeconfig, backup, restore, import, version. This file runs on Node 20 and newer, the
// rest on the pinned Node.
import { join } from 'node:path';
import { ensureInstalled, root, runPinned } from './install.js';

const node = await ensureInstalled();
runPinned(node, [join(root, 'programs', 'tidegate', 'src', 'main.ts'), ...process.argv.slice(2)], { lifeline: true });
