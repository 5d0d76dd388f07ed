const REPEAT = /\{(\d+)(,(\d*))?\}/y;

interface Open {
  /** the size so far inside these brackets, and the size of the last part, to which a repetition applies */
  size: number;
  last: number;
}

/**
 * An upper estimate of the size of a pattern with its repetitions expanded: `(ab){3}` has 9. It is computed before the
 * pattern is compiled, because compiling millions of steps takes seconds.
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

/** In `[]a]` and `[^]a]` the first bracket is part of the class. */
function endOfClass(pattern: string, begin: number): number {
  let at = begin + (pattern[begin + 1] === '^' ? 2 : 1);
  if (pattern[at] === ']') at++;
  for (; at < pattern.length && pattern[at] !== ']'; at++) if (pattern[at] === '\\') at++;
  return at;
}
