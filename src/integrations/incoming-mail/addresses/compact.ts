const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

/** Encodes bytes as lower-case base32 without padding, because mail servers may lower-case an address. */
export function toBase32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet[(held >> (bits - 5)) & 31];
    held &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + alphabet[(held << (5 - bits)) & 31];
}

/** Decodes such a text. Returns undefined for any other text, including non-canonical encodings of the same bytes. */
export function fromBase32(text: string): Buffer | undefined {
  if (!/^[a-z2-7]*$/.test(text)) return undefined;
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  for (const letter of text) {
    held = (held << 5) | alphabet.indexOf(letter);
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((held >> bits) & 255);
    }
    held &= (1 << bits) - 1;
  }
  const found = Buffer.from(bytes);
  return toBase32(found) === text ? found : undefined;
}

/** Encodes non-negative integers as variable-length quantities: seven bits per byte plus a continuation bit. */
export function writeNumbers(numbers: readonly number[]): Buffer {
  const bytes: number[] = [];
  for (const number of numbers) {
    let rest = number;
    for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
    bytes.push(rest);
  }
  return Buffer.from(bytes);
}

/** Decodes variable-length quantities. Returns undefined if the bytes are malformed or not in the shortest form. */
export function readNumbers(bytes: Uint8Array): number[] | undefined {
  const numbers: number[] = [];
  let number = 0;
  let place = 1;
  for (const byte of bytes) {
    number += (byte & 127) * place;
    place *= 128;
    if (!Number.isSafeInteger(number)) return undefined;
    if (byte > 127) continue;
    numbers.push(number);
    number = 0;
    place = 1;
  }
  return place === 1 && writeNumbers(numbers).equals(bytes) ? numbers : undefined;
}
