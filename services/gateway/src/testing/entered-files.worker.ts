import { Session } from 'node:inspector/promises';
import { parentPort, workerData } from 'node:worker_threads';

/** The worker of entered-files.ts, which uses the inspector: this must not run in the inspected thread. */
const root = workerData as string;
const session = new Session();
session.connectToMainThread();
const urls = new Map<string, string>();
session.on('Debugger.scriptParsed', ({ params }) => {
  if (params.url.startsWith(root)) urls.set(params.scriptId, params.url.slice(root.length));
});
// a session alone does not keep a worker alive
setInterval(() => {}, 60_000);
await session.post('Debugger.enable');
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
parentPort?.on('message', () => void watch().then((count) => parentPort?.postMessage(count)));
parentPort?.postMessage('started');

async function watch(): Promise<number> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  let count = 0;
  for (const { scriptId, functions } of result) {
    const file = urls.get(scriptId);
    if (file === undefined) continue;
    const { scriptSource } = await session.post('Debugger.getScriptSource', { scriptId });
    const places = placesIn(scriptSource);
    for (const { functionName: name, ranges } of functions) {
      const [range] = ranges;
      // skip the module itself, which is not a function
      if (range === undefined || range.startOffset === 0) continue;
      const start = { scriptId, ...places(range.startOffset) };
      const end = { scriptId, ...places(range.endOffset) };
      const { locations } = await session.post('Debugger.getPossibleBreakpoints', { start, end });
      const [location] = locations;
      if (location === undefined) continue;
      const condition = `(globalThis.passed?.(${JSON.stringify(file)}, ${JSON.stringify(name)}), false)`;
      // two functions may begin at the same position, which can have only one breakpoint
      await session.post('Debugger.setBreakpoint', { location, condition }).catch(() => {});
      count++;
    }
  }
  return count;
}

/** Finds line and column of a position. */
function placesIn(source: string): (offset: number) => { lineNumber: number; columnNumber: number } {
  const begins = [0];
  for (let i = 0; i < source.length; i++) if (source[i] === '\n') begins.push(i + 1);
  return (offset) => {
    const lineNumber = begins.findLastIndex((begin) => begin <= offset);
    return { lineNumber, columnNumber: offset - (begins[lineNumber] ?? 0) };
  };
}
