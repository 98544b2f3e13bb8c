import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { detectType, SNIFFED_BYTES } from '../../../../src/platform/http/bodies/detect-type.ts';

const latin = (text: string) => Buffer.from(text, 'latin1');
const save = { type: 'application/octet-stream', attachment: true };
const show = (type: string) => ({ type, attachment: false });

describe('content type of committed files', () => {
  const table: readonly (readonly [what: string, bytes: Buffer, expected: object])[] = [
    ['nothing', Buffer.alloc(0), show('text/plain; charset=utf-8')],
    ['ASCII', latin('int main() {}\n'), show('text/plain; charset=utf-8')],
    ['UTF-8', Buffer.from('Grüße, 世界 🌍\n'), show('text/plain; charset=utf-8')],
    ['UTF-8 with a mark', Buffer.from('\ufeffa\n'), show('text/plain; charset=utf-8')],
    ['UTF-16', Buffer.from('\ufeffhello', 'utf16le'), show('text/plain; charset=utf-16le')],
    [
      'Latin-1',
      latin('Die Wörter über die Straße führen zu größeren Änderungen.\n'),
      show('text/plain; charset=iso-8859-1'),
    ],
    [
      'Shift_JIS',
      Buffer.from('93fa967b8cea82cc83658358836782c582b781428ea997528e7182ccb7db82f0', 'hex'),
      show('text/plain; charset=shift_jis'),
    ],
    ['colours of a terminal', latin('\x1b[31mred\x1b[0m\n'), show('text/plain; charset=utf-8')],
    ['HTML', latin('<!doctype html><script>alert(1)</script>'), show('text/plain; charset=utf-8')],
    ['SVG', latin('<svg xmlns="http://www.w3.org/2000/svg" onload="x()"/>'), show('text/plain; charset=utf-8')],
    ['PNG', latin('\x89PNG\r\n\x1a\n\0\0\0\rIHDR'), show('image/png')],
    ['JPEG', latin('\xff\xd8\xff\xe0\0\x10JFIF'), show('image/jpeg')],
    ['GIF', latin('GIF89a\x01\0'), show('image/gif')],
    ['WebP', latin('RIFF\x1a\0\0\0WEBPVP8L'), show('image/webp')],
    ['AVIF', latin('\0\0\0\x20ftypavif\0\0'), show('image/avif')],
    ['an icon', latin('\0\0\x01\0\x01\0\x10\x10'), show('image/x-icon')],
    ['a program', latin('\x7fELF\x02\x01\x01\0'), save],
    ['an archive', latin('PK\x03\x04\x14\0'), save],
    ['a text with a NUL', latin('a\0b'), save],
  ];
  for (const [what, bytes, expected] of table) {
    it(`${what} is ${JSON.stringify(expected)}`, () => assert.deepEqual(detectType(bytes, true), expected));
  }

  it('is detected from the first bytes, even if they end inside a character', () => {
    for (const character of ['ü', '世', '🌍']) {
      for (let shift = 0; shift < 4; shift++) {
        const text = Buffer.from('x'.repeat(shift) + character.repeat(SNIFFED_BYTES));
        assert.deepEqual(detectType(text, true), show('text/plain; charset=utf-8'));
        assert.deepEqual(detectType(text.subarray(0, 100), false), show('text/plain; charset=utf-8'));
      }
    }
    assert.notDeepEqual(detectType(Buffer.from('ü').subarray(0, 1), true), show('text/plain; charset=utf-8'));
  });
});
