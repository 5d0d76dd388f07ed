/** One metric of an expression, and the labels by which it is selected. */
export interface MetricUse {
  readonly metric: string;
  readonly labels: readonly string[];
}

export interface Expression {
  readonly uses: readonly MetricUse[];
  /** the labels of its `by` clauses */
  readonly groups: readonly string[];
  /** all other words, such as a metric without labels, which would also select other releases */
  readonly unknown: readonly string[];
}

const WORDS = new Set('sum min max count topk rate increase histogram_quantile absent time and or by'.split(' '));
const SELECTOR = /([a-zA-Z_:][\w:]*)\{((?:[^"}]|"[^"]*")*)\}(\[[^\]]+\])?/g;
const GROUP = /\bby\s*\(([^)]*)\)/g;

/** Parses the subset of PromQL that the chart uses: each metric has labels in braces. */
export function parseExpression(text: string): Expression {
  const uses = [...text.matchAll(SELECTOR)].map(([, metric = '', matchers = '']) => ({
    metric,
    labels: [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = '']) => label),
  }));
  const rest = text.replace(SELECTOR, ' ');
  const groups = [...rest.matchAll(GROUP)].flatMap(([, names = '']) => names.split(',').map((name) => name.trim()));
  const words = rest.replace(GROUP, ' ').match(/[a-zA-Z_]\w*/g) ?? [];
  return { uses, groups, unknown: words.filter((word) => !WORDS.has(word)) };
}
