import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { needs, until } from '@tidegate/testkit';
import { Chromium, type ChromiumPage, chromiumPath } from './support/chromium.ts';
import { type RunningSystem, runningSystem } from './support/running-system.ts';

/** The lowest contrast of all texts on the page, with the text that has it. */
const LOWEST_CONTRAST = `(() => {
  const parts = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b]
    .map((c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const color = parts(getComputedStyle(at).backgroundColor);
      if (color.length === 3 || color[3] > 0) return color;
    }
    return parts(getComputedStyle(document.documentElement).colorScheme === 'dark' ? '0 0 0' : '255 255 255');
  };
  let least = { ratio: 99, text: '', count: 0 };
  for (const element of document.body.querySelectorAll('*')) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.nodeValue.trim() !== '');
    if (!own || element.closest('svg') || element.getClientRects().length === 0) continue;
    const [a, b] = [light(parts(getComputedStyle(element).color)), light(behind(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    least = { ...(ratio < least.ratio ? { ratio, text: element.textContent } : least), count: least.count + 1 };
  }
  return least;
})()`;

const path = chromiumPath();
const skip = path === undefined && needs('chromium');
describe('The board in a browser', { skip }, () => {
  let system: RunningSystem;
  let browser: Chromium;
  let board: string;
  before(async () => {
    system = await runningSystem();
    board = /board +(http:\S+)/.exec(system.tidegate.output)?.[1] as string;
    browser = await Chromium.start(path as string);
    const state = async () => ((await (await fetch(`${board}/report.json`)).json()) as { state: string }).state;
    await until('all parts to be ok', async () => (await state()) === 'ok');
  });
  after(async () => {
    await browser?.stop();
    await system?.stop();
  });

  const summary = (page: ChromiumPage) => page.evaluate<string>(`document.getElementById('summary').textContent`);
  const opened = async (width = 1400) => {
    const page = await browser.page();
    await page.resize(width, 900);
    await page.open(board);
    return page;
  };
  /** Runs `work` while the watch service is stopped with SIGSTOP. */
  const whileWatchHangs = async (work: () => Promise<void>) => {
    const pid = system.tidegate.pid('watch');
    process.kill(pid, 'SIGSTOP');
    try {
      await work();
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  };

  test('Screen readers get the parts, replicas and checks as headings and tables.', async () => {
    const nodes = await (await opened()).accessibleNodes();
    for (const expected of [
      'RootWebArea Tidegate is healthy',
      'heading Gateways',
      'columnheader Requests/s',
      'rowheader Stores',
      'rowheader postgres',
      'columnheader Last hour',
      'region Parts',
    ])
      assert.ok(nodes.includes(expected), `${expected} is not among ${[...new Set(nodes)].join('; ')}`);
    for (const expected of [/^status/, /^table Checks of gateway-\d+$/, /^article gateway-\d+$/, /^image last hour/])
      assert.ok(
        nodes.some((words) => expected.test(words)),
        `${expected}`,
      );
  });

  test('The page is updated in place when a part hangs and recovers, and keeps the focus.', async () => {
    const page = await opened();
    await page.evaluate(`document.querySelector('main [tabindex]').focus(), globalThis.mark = 'here'`);
    await whileWatchHangs(async () => {
      await until('the board to show the failure', async () => (await summary(page)) === 'Tidegate is failing');
      const text = await page.evaluate<string>('document.body.innerText');
      assert.match(text, /Failing checks\s+watch\/watch-\d+\/reachable/);
      assert.equal(await page.evaluate('document.title'), 'Tidegate is failing');
    });
    await until('the board to show the recovery', async () => (await summary(page)) === 'Tidegate is healthy');
    assert.equal(await page.evaluate('globalThis.mark'), 'here');
    assert.equal(await page.evaluate('document.activeElement.getAttribute("aria-labelledby")'), 'parts');
    assert.equal(page.loads, 1);
    assert.match(await page.evaluate('document.body.innerText'), /watch\/watch-\d+\/reachable\s+✓ ok/);
    assert.deepEqual(page.errors, []);
  });

  test('Every text has sufficient contrast in light and dark mode, also during a failure.', async () => {
    await whileWatchHangs(async () => {
      for (const scheme of ['light', 'dark'] as const) {
        const page = await opened();
        await page.theme(scheme);
        await until('the board to show the failure', async () => (await summary(page)) === 'Tidegate is failing');
        const { ratio, text, count } = await page.evaluate<{ ratio: number; text: string; count: number }>(
          LOWEST_CONTRAST,
        );
        assert.ok(ratio >= 4.5, `${scheme}: ${ratio} of ${JSON.stringify(text)}`);
        assert.ok(count > 50, `${count} texts`);
        const dark = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
        assert.equal(dark === 'rgb(255, 255, 255)', scheme === 'light');
      }
    });
  });

  test('The page fits narrow and wide windows; only its tables scroll horizontally.', async () => {
    for (const width of [320, 480, 768, 1920]) {
      const page = await opened(width);
      assert.equal(await page.evaluate('innerWidth'), width);
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
      assert.ok(wide <= width, `${wide} of ${width}`);
    }
  });

  test('Without scripts the page is complete and reloads itself.', async () => {
    const page = await browser.page();
    await page.send('Emulation.setScriptExecutionDisabled', { value: true });
    await page.send('Page.navigate', { url: board });
    await until('a reload', () => page.loads >= 2);
    const nodes = await page.accessibleNodes();
    for (const expected of ['RootWebArea Tidegate is healthy', 'rowheader postgres', 'rowheader Stores'])
      assert.ok(nodes.includes(expected), expected);
  });

  test('The page runs only its own script.', async () => {
    const page = await opened();
    await page.evaluate(`{
      const script = document.createElement('script');
      script.textContent = 'globalThis.ran = true';
      document.body.append(script);
      document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="globalThis.ran = true">');
    }`);
    await until(
      'both scripts to be blocked',
      () => page.errors.filter((words) => /Content Security/.test(words)).length >= 2,
    );
    assert.equal(await page.evaluate('globalThis.ran'), undefined);
  });

  test('The page shows a notice while the health service does not answer.', async () => {
    const page = await opened();
    const live = () => page.evaluate<string>(`document.getElementById('live').textContent`);
    const pid = system.tidegate.pid('health');
    process.kill(pid, 'SIGSTOP');
    try {
      await until('the notice', async () => /does not answer/.test(await live()));
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await until('the notice to disappear', async () => (await live()) === '');
  });
});
