import { elapsedUntil, SHORT_PAUSE_MS } from './elapsed.ts';
import { type PromisedTime, repeat } from './promised-time.ts';
import type { Systems } from './systems.ts';

/** An object of any kind. */
type Named = { readonly metadata: { readonly name: string } } & Readonly<Record<string, unknown>>;

/** An object that makes gateways reject a request. */
export interface Rule {
  readonly collection: string;
  readonly object: Named;
  /** the dry run that it rejects */
  readonly rejected: { readonly collection: string; readonly object: object };
  /** objects without which it has no effect, with their collections */
  readonly needs?: ReadonlyArray<readonly [collection: string, object: object]>;
}

/** From the answer to the creation of a rule at one gateway until the other gateway applies it. */
export function ruleElsewhere(name: string, page: string, rule: Rule): PromisedTime {
  return {
    name: `${name} applies at the other gateway`,
    limitMs: 100,
    page,
    times: 20,
    measure: (systems, times) => measureRule(rule, systems, times),
  };
}

async function measureRule({ collection, object, rejected, needs = [] }: Rule, systems: Systems, times: number) {
  const { first, second } = await systems.twoOfEach();
  for (const [path, needed] of needs) await first.must('POST', path, needed);
  const isRejected = async () => {
    const { code } = await second.send('POST', `${rejected.collection}?dryRun=All`, { body: rejected.object });
    return code !== 201;
  };
  return repeat(times, async () => {
    await elapsedUntil('the request to be accepted', async () => !(await isRejected()));
    await first.must('POST', collection, object);
    const ms = await elapsedUntil('the request to be rejected', isRejected, SHORT_PAUSE_MS);
    await first.must('DELETE', `${collection}/${object.metadata.name}`);
    return ms;
  });
}
