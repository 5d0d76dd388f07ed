/**
 * The hand of queues of a flow (shuffle sharding). A flow always has the same hand of different queues, and all hands
 * are equally likely. Two flows rarely share a whole hand, so a flow that fills its own queues leaves room for
 * others.
 */
export function deal(flow: string, queues: number, handSize: number): number[] {
  let state = hashOf(flow);
  const hand: number[] = [];
  for (let left = queues; hand.length < Math.min(handSize, queues); left--) {
    state = next(state);
    // the n-th of the queues outside the hand; the hand is sorted
    let card = state % left;
    let at = 0;
    while (at < hand.length && card >= (hand[at] as number)) {
      card++;
      at++;
    }
    hand.splice(at, 0, card);
  }
  return hand;
}

/** FNV-1a */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** A step of a mixing generator (splitmix): consecutive states give independent results. */
function next(state: number): number {
  const sum = (state + 0x9e3779b9) | 0;
  const once = Math.imul(sum ^ (sum >>> 16), 0x21f0aaad);
  const twice = Math.imul(once ^ (once >>> 15), 0x735a2d97);
  return (twice ^ (twice >>> 15)) >>> 0;
}
