import { Transform, type TransformCallback } from 'node:stream';

/** The text is not base64. */
export class NotBase64 extends Error {
  override readonly name = 'NotBase64';

  constructor(at: number) {
    super(`illegal base64 data at input byte ${at}`);
  }
}

/**
 * Two ways to decode base64. `lenient` skips all invalid characters and stops at the first `=`; `strict` skips only
 * line breaks and requires the padding.
 */
export type Leniency = 'lenient' | 'strict';

/** Decodes a text in memory. */
export function decodeBase64(text: string, leniency: Leniency): Buffer {
  const decoder = new Base64Decoder(leniency);
  return Buffer.concat([decoder.push(text), decoder.end()]);
}

/** Decodes a stream of any length. */
export function base64Decoder(leniency: Leniency): Transform {
  const decoder = new Base64Decoder(leniency);
  const attempt = (work: () => Buffer, done: TransformCallback) => {
    try {
      done(null, work());
    } catch (error) {
      done(error as Error);
    }
  };
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => attempt(() => decoder.push(chunk.toString('latin1')), done),
    flush: (done) => attempt(() => decoder.end(), done),
  });
}

/** Decodes incrementally: four characters make three bytes, the rest waits. */
class Base64Decoder {
  readonly #leniency: Leniency;
  #rest = '';
  #ended = false;
  #padding = 0;
  #at = 0;

  constructor(leniency: Leniency) {
    this.#leniency = leniency;
  }

  push(piece: string): Buffer {
    const letters = this.#rest + (this.#leniency === 'lenient' ? this.#skip(piece) : this.#check(piece));
    this.#at += piece.length;
    const whole = letters.length - (letters.length % 4);
    this.#rest = letters.slice(whole);
    return Buffer.from(letters.slice(0, whole), 'base64');
  }

  end(): Buffer {
    const { length } = this.#rest;
    const complete = length === 0 ? this.#padding === 0 : length > 1 && length + this.#padding === 4;
    if (this.#leniency === 'strict' && !complete) throw new NotBase64(this.#at);
    // A single character is less than a byte.
    return length > 1 ? Buffer.from(this.#rest, 'base64') : Buffer.alloc(0);
  }

  #skip(piece: string): string {
    if (this.#ended) return '';
    const letters = piece.replace(/[^A-Za-z0-9+/=]+/g, '');
    const padding = letters.indexOf('=');
    if (padding < 0) return letters;
    this.#ended = true;
    return letters.slice(0, padding);
  }

  #check(piece: string): string {
    const stray = piece.search(/[^A-Za-z0-9+/=\r\n]/);
    if (stray >= 0) throw new NotBase64(this.#at + stray);
    const [letters = '', ...pads] = piece.replace(/[\r\n]+/g, '').split('=');
    const after = pads.join('');
    if (after !== '' || (this.#padding > 0 && letters !== '')) throw new NotBase64(this.#at + piece.length);
    this.#padding += pads.length;
    return letters;
  }
}
