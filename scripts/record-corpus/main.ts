import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readCorpusFile, writeCorpusFile } from './corpus-file.ts';
import { CorpusPeer } from './peer.ts';

/**
 * Sends every manifest of packages/kinds/corpus to a kube-apiserver and records the response. Created objects are
 * deleted again. A third argument selects the files whose paths contain it.
 */
const NAMESPACE = 'corpus';
const [server, token, chosen = ''] = process.argv.slice(2);
if (server === undefined || token === undefined) {
  console.error('usage: npm run record:corpus -- SERVER TOKEN [PART-OF-PATH]');
  process.exit(2);
}

const corpus = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'packages/kinds/corpus');
const peer = new CorpusPeer({ server, token });
await peer.makeNamespace(NAMESPACE);
for (const name of globSync('*/*.json', { cwd: corpus }).sort()) {
  if (!name.includes(chosen)) continue;
  const file = readCorpusFile(join(corpus, name));
  for (const one of file.cases) {
    one.answer = await peer.record(file.path, one);
    if (one.valid !== one.answer.code < 300) {
      console.error(`${name}: ${one.title}: ${one.answer.code} ${one.answer.message ?? ''}`);
    }
  }
  writeCorpusFile(join(corpus, name), file);
}
