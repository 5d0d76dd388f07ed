/** One metric that an expression asks for, and the labels by which. */
export interface Use {
  readonly metric: string;
  readonly labels: readonly string[];
}

export interface Read {
  readonly uses: readonly Use[];
  /** what it groups by */
  readonly groups: readonly string[];
  /** words that are neither; a metric without labels would also be that of other releases */
  readonly strange: readonly string[];
}

const WORDS = new Set('sum min max count topk rate increase histogram_quantile absent time and or by'.split(' '));
const SELECTOR = /([a-zA-Z_:][\w:]*)\{((?:[^"}]|"[^"]*")*)\}(\[[^\]]+\])?/g;
const GROUP = /\bby\s*\(([^)]*)\)/g;

/** What an expression of PromQL is about, as far as the chart's own go: each metric has labels in braces. */
export function readExpression(text: string): Read {
  const uses = [...text.matchAll(SELECTOR)].map(([, metric = '', matchers = '']) => ({
    metric,
    labels: [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = '']) => label),
  }));
  const rest = text.replace(SELECTOR, ' ');
  const groups = [...rest.matchAll(GROUP)].flatMap(([, names = '']) => names.split(',').map((name) => name.trim()));
  const words = rest.replace(GROUP, ' ').match(/[a-zA-Z_]\w*/g) ?? [];
  return { uses, groups, strange: words.filter((word) => !WORDS.has(word)) };
}
