/** Replaces ages and the expiry in continue tokens, in which equal answers at different times differ. */
export function maskTimes(text: string): string {
  return text.replace(/"(?:\d+[smhd])+"/g, '"AGE"').replace(/eyJ2Ijoi[\w-]+/g, position);
}

export function maskTimesIn(value: unknown): unknown {
  return JSON.parse(maskTimes(JSON.stringify(value)));
}

/** The position in a continue token, without its expiry. */
function position(token: string): string {
  const { rv, start } = JSON.parse(Buffer.from(token, 'base64url').toString());
  return `${rv}/${start.replace('\0', '')}`;
}
