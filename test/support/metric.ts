/** A metric of a part, the sum over its labels. */
export async function metricAt(opsAddress: string, name: string): Promise<number> {
  const text = await (await fetch(`http://${opsAddress}/metrics`)).text();
  const values = [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)`, 'gm'))].map((found) => Number(found[1]));
  // one with labels has no value before it is used
  if (!text.includes(`# TYPE ${name} `)) throw new Error(`there is no metric ${name}`);
  return values.reduce((a, b) => a + b, 0);
}
