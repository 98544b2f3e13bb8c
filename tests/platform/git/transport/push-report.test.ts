import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pktLine, progressLine, wholePackets } from '../../../../src/platform/git/transport/pkt-line.ts';
import { readReport } from '../../../../src/platform/git/transport/push-report.ts';

const bare = `${pktLine('unpack ok\n')}${pktLine('ok refs/heads/a\n')}${pktLine('ng refs/heads/b stale info\n')}0000`;
const second = `${pktLine('unpack ok\n')}${pktLine('ok refs/heads/ä\n')}${pktLine('option old-oid 1\n')}0000`;
const failed = `${pktLine('unpack index-pack failed\n')}${pktLine('ng refs/heads/a unpacker error\n')}0000`;

function band(number: number, bytes: Buffer): Buffer {
  const head = (bytes.length + 5).toString(16).padStart(4, '0');
  return Buffer.concat([Buffer.from(head), Buffer.from([number]), bytes]);
}

/** The report on side-band 1, split within lines. */
function banded(report: string, size: number): Buffer {
  const bytes = Buffer.from(report);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    pieces.push(band(2, Buffer.from('remote says\n')), band(1, bytes.subarray(at, at + size)));
  }
  return Buffer.concat([...pieces, Buffer.from('0000')]);
}

const reports: [string, Buffer, readonly string[] | undefined, boolean][] = [
  ['plain lines', Buffer.from(bare), ['refs/heads/a'], false],
  ['side-bands', banded(bare, 1000), ['refs/heads/a'], true],
  ['side-bands that split lines', banded(bare, 7), ['refs/heads/a'], true],
  ['options and non-ASCII names', banded(second, 1000), ['refs/heads/ä'], true],
  ['a failed unpack', banded(failed, 1000), [], true],
  ['a flush packet only', Buffer.from('0000'), undefined, false],
  ['no output', Buffer.alloc(0), undefined, false],
  ['progress without a report', Buffer.concat([progressLine('hello\n'), Buffer.from('0000')]), undefined, true],
];

describe('push report', () => {
  for (const [kind, output, moved, bands] of reports) {
    it(`is parsed from ${kind}`, () => {
      const report = readReport(output);
      assert.deepEqual(report.moved && [...report.moved], moved);
      assert.equal(report.banded, bands);
    });
  }
});

async function cutAndJoined(bytes: Buffer, size: number): Promise<Buffer[]> {
  const count = Math.ceil(bytes.length / size);
  const chunks = Array.from({ length: count }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
  return Array.fromAsync(wholePackets(stream(chunks)));
}

it('wholePackets splits only between packets and passes on malformed data', async () => {
  const bytes = banded(bare, 9);
  const odd = Buffer.concat([bytes, Buffer.from('garbage at the end')]);
  for (const size of [1, 3, 50, odd.length]) {
    const whole = await cutAndJoined(bytes, size);
    assert.deepEqual(Buffer.concat(whole), bytes);
    for (const piece of whole) assert.match(piece.toString('latin1', 0, 5), /^[0-9a-f]{4}/);
    assert.deepEqual(Buffer.concat(await cutAndJoined(odd, size)), odd);
  }
});

async function* stream(chunks: readonly Buffer[]): AsyncGenerator<Buffer, void> {
  yield* chunks;
}
