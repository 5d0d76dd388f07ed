const REPEAT = /\{(\d+)(,(\d*))?\}/y;

interface Open {
  /** of what has been read in these brackets, and of the last part of it, which a repetition is about */
  size: number;
  last: number;
}

/**
 * About how many steps a pattern has when its repetitions are written out: `(ab){3}` has 9. It tells more rather than less,
 * and it is told before the pattern is read, as reading one of millions of steps takes seconds.
 */
export function patternSize(pattern: string): number {
  const outer: Open[] = [];
  let here: Open = { size: 0, last: 0 };
  const add = (size: number): void => {
    here.last = size;
    here.size += size;
  };
  for (let at = 0; at < pattern.length; at++) {
    REPEAT.lastIndex = at;
    const repeat = pattern[at] === '{' ? REPEAT.exec(pattern) : null;
    if (repeat !== null) {
      const [whole, least = '', open, most = ''] = repeat;
      const times = Math.max(Number(least) + Number(open !== undefined && most === ''), Number(most), 1);
      const { last } = here;
      here.size += last * (times - 1);
      here.last = last * times;
      at += whole.length - 1;
      continue;
    }
    switch (pattern[at]) {
      case '(':
        outer.push(here);
        here = { size: 2, last: 0 };
        break;
      case ')': {
        const { size } = here;
        here = outer.pop() ?? { size: 0, last: 0 };
        add(size);
        break;
      }
      case '[':
        at = endOfClass(pattern, at);
        add(1);
        break;
      case '\\':
        at++;
        add(1);
        break;
      case '*':
      case '+':
      case '?':
        here.size++;
        break;
      default:
        add(1);
    }
  }
  return outer.reduce((sum, { size }) => sum + size, here.size);
}

/** `[]a]` and `[^]a]` hold a bracket. */
function endOfClass(pattern: string, begin: number): number {
  let at = begin + (pattern[begin + 1] === '^' ? 2 : 1);
  if (pattern[at] === ']') at++;
  for (; at < pattern.length && pattern[at] !== ']'; at++) if (pattern[at] === '\\') at++;
  return at;
}
