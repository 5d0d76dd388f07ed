/** The path of a value in its object. Its text is made only for errors. */
export interface At {
  readonly up: At | undefined;
  readonly step: string | number;
}

/** `spec.ports[0].name`; empty for the object itself. */
export function pathText(at: At | undefined): string {
  if (at === undefined) return '';
  const above = pathText(at.up);
  if (typeof at.step === 'number') return `${above}[${at.step}]`;
  return above === '' ? at.step : `${above}.${at.step}`;
}
