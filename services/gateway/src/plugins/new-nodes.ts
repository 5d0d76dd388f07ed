import { listOf } from '@tidegate/schema';
import { append, type Plugin, specOf } from './plugin.ts';

const KEY = 'node.kubernetes.io/not-ready';
const EFFECT = 'NoSchedule';

/** Nothing is put on a new node before somebody has found it ready, and has taken the taint away. */
export const newNodes: Plugin = {
  name: 'TaintNodesByCondition',
  concerns: ['CREATE nodes'],
  mutate: ({ object }) => {
    object.spec ??= {};
    const spec = specOf(object);
    const isTainted = listOf(spec, 'taints').some(({ key, effect }) => key === KEY && effect === EFFECT);
    if (!isTainted) append(spec, 'taints', { key: KEY, effect: EFFECT });
  },
};
