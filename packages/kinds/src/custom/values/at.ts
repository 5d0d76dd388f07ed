/** Where a value stands in its object. It is put into words only when something is wrong there. */
export interface At {
  readonly up: At | undefined;
  readonly step: string | number;
}

/** `spec.ports[0].name`; empty for the whole. */
export function pathText(at: At | undefined): string {
  if (at === undefined) return '';
  const above = pathText(at.up);
  if (typeof at.step === 'number') return `${above}[${at.step}]`;
  return above === '' ? at.step : `${above}.${at.step}`;
}
