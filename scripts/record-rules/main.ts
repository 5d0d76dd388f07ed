import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Things } from './definitions.ts';
import { type JsonRecord, Server, type Verdict } from './server.ts';

/**
 * Records the responses of a kube-apiserver to every definition with rules in packages/kinds/recorded/rules.json and to
 * its objects, and the results of the expressions in packages/cel/src/testing/library.json.
 */
interface Step {
  readonly create?: JsonRecord;
  readonly replace?: JsonRecord;
  readonly status?: JsonRecord;
  /** the new schema of the definition */
  readonly schema?: JsonRecord;
  answer?: Verdict;
}

interface RuleCase {
  readonly title: string;
  readonly schema: JsonRecord;
  answer?: Verdict;
  readonly steps?: Step[];
}

interface LibraryCase {
  readonly library: string;
  readonly expression: string;
  text?: string;
  failure?: string;
}

const [address, token, chosen = ''] = process.argv.slice(2);
if (address === undefined || token === undefined) {
  console.error('usage: npm run record:rules -- SERVER TOKEN [PART-OF-TITLE | library]');
  process.exit(2);
}
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const things = new Things(new Server({ server: address, token }));

if (chosen !== 'library') await recordRules(join(root, 'packages/kinds/recorded/rules.json'));
if (chosen === '' || chosen === 'library') await recordLibrary(join(root, 'packages/cel/src/testing/library.json'));

async function recordRules(file: string): Promise<void> {
  const cases = JSON.parse(readFileSync(file, 'utf8')) as RuleCase[];
  for (const one of cases) {
    if (!one.title.includes(chosen)) continue;
    one.answer = await things.make(one.schema);
    if (one.answer.code !== 201) continue;
    for (const step of one.steps ?? []) step.answer = await take(step);
    await things.remove();
  }
  const texts = cases.map(({ steps = [], ...head }) => {
    const lines = Object.entries(head).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
    if (steps.length > 0) lines.push(`"steps": [\n  ${steps.map((step) => JSON.stringify(step)).join(',\n  ')}]`);
    return `{${lines.join(',\n ')}}`;
  });
  writeFileSync(file, `[\n${texts.join(',\n')}\n]\n`);
}

async function take({ create, replace, status, schema }: Step): Promise<Verdict> {
  if (create !== undefined) return things.create(create);
  if (replace !== undefined) return things.replace(replace);
  if (status !== undefined) return things.replace(status, '/status');
  return things.change(schema ?? {});
}

/**
 * Every expression is the message of a rule that fails, so the error shows its result, or that its evaluation failed.
 */
async function recordLibrary(file: string): Promise<void> {
  const cases = JSON.parse(readFileSync(file, 'utf8')) as LibraryCase[];
  const rules = cases.map(({ expression }, i) => ({
    rule: `(${expression}) == 'case ${i}'`,
    messageExpression: expression,
    message: `case ${i}`,
  }));
  const made = await things.make({ type: 'object', 'x-kubernetes-validations': rules });
  if (made.code !== 201) throw new Error(JSON.stringify(made.causes));
  const { causes = [] } = await things.create({});
  await things.remove();
  const END = /(?: evaluating rule|: call arguments did not match .* for rule): case \d+$/;
  for (const [i, one] of cases.entries()) {
    const message = (causes[i]?.message ?? '').replace(/^Invalid value: (?:"object": )?/, '');
    delete one.text;
    delete one.failure;
    if (END.test(message)) one.failure = message.replace(END, '').replace(/^'(.*)'$/, '$1');
    else one.text = message;
  }
  writeFileSync(file, `[\n${cases.map((one) => JSON.stringify(one)).join(',\n')}\n]\n`);
}
