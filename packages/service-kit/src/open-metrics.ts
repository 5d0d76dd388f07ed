import { headerElements } from '@tidegate/request-info';

const OPEN_METRICS = 'application/openmetrics-text';
const PLAIN = 'text/plain';

/**
 * Whether the Accept header prefers OpenMetrics to plain text. A client that does not name OpenMetrics gets plain text.
 */
export function prefersOpenMetrics(accept: string | undefined): boolean {
  let [open, plain] = [0, 0];
  for (const { value, parameters } of headerElements((accept ?? '').toLowerCase())) {
    if (value === OPEN_METRICS) open = Math.max(open, weightOf(parameters.q));
    if (value === PLAIN) plain = Math.max(plain, weightOf(parameters.q));
  }
  return open > 0 && open >= plain;
}

function weightOf(given: string | undefined): number {
  if (given === undefined) return 1;
  const weight = Number(given);
  return weight >= 0 && weight <= 1 ? weight : 0;
}
