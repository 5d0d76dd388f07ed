const OPEN_METRICS = 'application/openmetrics-text';
const PLAIN = 'text/plain';

/** Whether who asks for metrics would rather have them as OpenMetrics; who does not name it gets plain text. */
export function prefersOpenMetrics(accept: string | undefined): boolean {
  let [open, plain] = [0, 0];
  for (const range of (accept ?? '').toLowerCase().split(',')) {
    const [type, ...parameters] = range.split(';').map((part) => part.trim());
    if (type === OPEN_METRICS) open = Math.max(open, weightIn(parameters));
    if (type === PLAIN) plain = Math.max(plain, weightIn(parameters));
  }
  return open > 0 && open >= plain;
}

function weightIn(parameters: readonly string[]): number {
  const given = parameters.find((parameter) => parameter.startsWith('q='));
  if (given === undefined) return 1;
  const weight = Number(given.slice(2));
  return weight >= 0 && weight <= 1 ? weight : 0;
}
