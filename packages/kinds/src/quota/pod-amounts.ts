import { isJsonObject, type JsonObject, type Quantity } from '@tidegate/schema';
import { type Amounts, addAmounts, amountsIn, raiseAmounts } from './amounts.ts';
import { listOf } from './parts.ts';

/** What a pod may say for all its containers together. */
const WHOLE_POD = new Set(['cpu', 'memory']);

/**
 * What a pod needs at most at one time. Its containers run together; before them each init container runs alone, next
 * to those that were started before it and stay. What the pod says for itself counts instead of the sum.
 */
export function podAmounts(spec: JsonObject, list: 'requests' | 'limits'): Amounts {
  const of = ({ resources }: JsonObject) => amountsIn(isJsonObject(resources) ? resources[list] : undefined);
  const together = new Map<string, Quantity>();
  for (const container of listOf(spec, 'containers')) addAmounts(together, of(container));
  const staying = new Map<string, Quantity>();
  const most = new Map<string, Quantity>();
  for (const container of listOf(spec, 'initContainers')) {
    const own = of(container);
    if (container.restartPolicy === 'Always') {
      addAmounts(together, own);
      addAmounts(staying, own);
    } else {
      // of what it does not ask for there is never more than in the end, when all that stay are there
      addAmounts(own, new Map([...own.keys()].flatMap((name) => amountOf(staying, name))));
      raiseAmounts(most, own);
    }
  }
  raiseAmounts(most, staying);
  raiseAmounts(together, most);
  for (const [name, amount] of of(spec)) if (WHOLE_POD.has(name)) together.set(name, amount);
  return together;
}

function amountOf(amounts: Amounts, name: string): Array<readonly [string, Quantity]> {
  const amount = amounts.get(name);
  return amount === undefined ? [] : [[name, amount]];
}
