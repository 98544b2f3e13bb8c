import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PackWatch } from '../../../../src/platform/git/transport/pack-watch.ts';
import { pktLine } from '../../../../src/platform/git/transport/pkt-line.ts';

const id = 'a'.repeat(40);
const band = (number: number, text: string) => pktLine(String.fromCharCode(number) + text);

const outputs: readonly [string, string, boolean][] = [
  ['the refs of protocol 2', `${pktLine(`${id} refs/heads/packfile\n`)}0000`, false],
  ['a ref that looks like a line', `${pktLine(`${id} refs/heads/000dpackfile\n`)}0000`, false],
  ['the capabilities of protocol 2', `${pktLine('version 2\n')}${pktLine('ls-refs=unborn\n')}0000`, false],
  ['a round of negotiation', `${pktLine('acknowledgments\n')}${pktLine('NAK\n')}0000`, false],
  ['a clone', `${pktLine('packfile\n')}${band(2, 'Counting')}${band(1, 'PACK')}0000`, true],
  [
    'a fetch whose negotiation ends',
    `${pktLine('acknowledgments\n')}${pktLine(`ACK ${id}\n`)}${pktLine('ready\n')}0001${pktLine('packfile\n')}${band(1, 'P')}0000`,
    true,
  ],
  ['a shallow clone of protocol 0', `${pktLine(`shallow ${id}`)}0000${pktLine('NAK\n')}${band(1, 'PACK')}0000`, true],
  ['progress before the objects', `${pktLine('NAK\n')}${band(2, 'Counting')}${band(1, 'PACK')}0000`, true],
  ['an error', `${pktLine('ERR upload-pack: not our ref\n')}`, false],
  ['an error on side-band 3', `${pktLine('NAK\n')}${band(3, 'aborting')}`, false],
  ['a client without side-bands', `${pktLine('NAK\n')}PACK\0\0\0\x02`, true],
  [
    'refs, then a clone, on one connection',
    `${pktLine(`${id} HEAD\0side-band-64k\n`)}0000${pktLine('NAK\n')}${band(1, 'x')}`,
    true,
  ],
  ['empty lines', '000400040000', false],
  ['malformed output', 'git is not well', false],
];

describe('PackWatch', () => {
  for (const [output, text, expected] of outputs) {
    it(`in ${output}: ${expected ? 'detects the start of the pack once' : 'detects no pack'}, however it is split`, () => {
      const bytes = Buffer.from(text, 'latin1');
      for (let size = 1; size <= bytes.length; size++) {
        const watch = new PackWatch();
        let detected = 0;
        for (let at = 0; at < bytes.length; at += size) if (watch.push(bytes.subarray(at, at + size))) detected++;
        assert.equal(detected, expected ? 1 : 0, `in chunks of ${size}`);
      }
    });
  }
});
