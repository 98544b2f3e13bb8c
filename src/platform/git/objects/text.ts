import { isUtf8 } from 'node:buffer';

/**
 * Decodes bytes without loss: with the given encoding if it is known, as UTF-8 if valid, otherwise as Latin-1, from
 * which the bytes can be restored. Never produces U+FFFD.
 */
export function decodeText(bytes: Buffer, encoding?: string): string {
  if (encoding && !/^utf-?8$/i.test(encoding)) {
    const text = decodeAs(bytes, encoding);
    if (text !== undefined) return text;
  }
  return isUtf8(bytes) ? bytes.toString('utf8') : bytes.toString('latin1');
}

function decodeAs(bytes: Buffer, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Unknown encoding, or bytes that are invalid in it.
    return undefined;
  }
}
