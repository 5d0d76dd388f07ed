/** The value of a metric of a part, summed over its labels. */
export async function metricAt(opsAddress: string, name: string): Promise<number> {
  const text = await (await fetch(`http://${opsAddress}/metrics`)).text();
  const values = [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)`, 'gm'))].map((found) => Number(found[1]));
  // a metric with labels has no samples before its first use
  if (!text.includes(`# TYPE ${name} `)) throw new Error(`there is no metric ${name}`);
  return values.reduce((a, b) => a + b, 0);
}
