import assert from 'node:assert/strict';
import { test } from 'node:test';
import { swallowedErrors } from './catch-rules.ts';

const found = (text: string, path = 'packages/a/src/b.ts') =>
  swallowedErrors([{ path, text }]).map((line) => line.split(': ')[0]);

const SWALLOWS = [
  'try {\n  f();\n} catch {}',
  'try {\n  f();\n} catch {\n  return 1;\n}',
  'try {\n  f();\n} catch (error) {\n  return 1;\n}',
  'try {\n  f();\n} catch (_) {\n  if (x) {\n    // too late\n  }\n}',
  'void f().catch(() => {});',
  'const x = await f().catch(() => undefined);',
  'const x = await f().catch(() => false);',
  'f().catch((_error) => undefined);',
  'f().catch(() => stream.destroy());',
  "socket.on('error', () => {});",
  'f()\n  .then(g)\n  .catch(() => {});',
];
for (const text of SWALLOWS) {
  test(`this swallows an error without a comment: ${JSON.stringify(text)}`, () => {
    assert.equal(found(text).length, 1);
  });
}

const GOOD = [
  'try {\n  f();\n} catch {\n  // a SyntaxError: it is no JSON\n  return 1;\n}',
  'try {\n  f();\n} catch (error) {\n  if (!(error instanceof SyntaxError)) throw error;\n  return 1;\n}',
  'try {\n  f();\n} catch (error) {\n  if (a) {\n    b();\n  }\n  note(error);\n}',
  '// the socket is closed already\nvoid f().catch(() => {});',
  'void f().catch(() => {}); // the socket is closed already',
  '// the socket is closed already\nf()\n  .then(g)\n  .catch(() => {});',
  'f().catch((error) => note(error));',
  'f().catch(fault.failed);',
  "// always followed by its close\nsocket.on('error', () => {});",
  '// a `.catch(() => {})` is bad',
];
for (const text of GOOD) {
  test(`this does not: ${JSON.stringify(text)}`, () => {
    assert.deepEqual(found(text), []);
  });
}

test('the position is reported, and tests are not checked', () => {
  const text = '\n\nvoid f().catch(() => {});';
  assert.deepEqual(found(text, 'services/a/src/b.ts'), ['services/a/src/b.ts:3']);
  assert.deepEqual(found(text, 'services/a/src/b.test.ts'), []);
});
