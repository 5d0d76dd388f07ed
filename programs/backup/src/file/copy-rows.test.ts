import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BackupError } from './backup-error.ts';
import { type CopyRow, copyEnd, copyHeading, rowsOfCopy, rowsOfFrame } from './copy-rows.ts';

/** `0002 00000003 "abc" ffffffff` for abc and null. */
function row(...columns: Array<string | undefined>): Buffer {
  const parts = columns.map((text) => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(text === undefined ? -1 : text.length);
    return Buffer.concat([length, Buffer.from(text ?? '')]);
  });
  return Buffer.concat([Buffer.from([0, columns.length]), ...parts]);
}

const rows = [row('abc', undefined), row('', 'x'.repeat(300)), row()];
const copy = Buffer.concat([copyHeading, ...rows, copyEnd]);

async function read(bytes: Buffer, size: number): Promise<CopyRow[]> {
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const all: CopyRow[] = [];
  for await (const one of rowsOfCopy(chunks())) all.push(one);
  return all;
}

test('Rows are read unchanged, wherever the chunks end.', async () => {
  for (const size of [1, 3, 19, 20, 100, copy.length]) {
    const read1 = await read(copy, size);
    assert.deepEqual(
      read1.map(({ bytes }) => bytes),
      rows,
    );
    assert.deepEqual(
      read1[0]?.columns.map((column) => column?.toString()),
      ['abc', undefined],
    );
  }
});

test('A COPY without its end mark is an error.', async () => {
  for (const length of [0, 10, copyHeading.length, copy.length - 2, copy.length - 40]) {
    await assert.rejects(read(copy.subarray(0, length), 64), /COPY ended/);
  }
});

test('A frame with an incomplete row is rejected.', () => {
  const body = Buffer.concat(rows);
  assert.equal([...rowsOfFrame(body)].length, 3);
  assert.throws(() => [...rowsOfFrame(body.subarray(0, body.length - 3))], BackupError);
  assert.throws(() => [...rowsOfFrame(Buffer.from([0, 1, 0xf0, 0, 0, 0]))], BackupError);
});
