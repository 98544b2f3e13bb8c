import { isUtf8 } from 'node:buffer';

/**
 * Text of bytes written by others, without loss: as the named encoding when it is one we know, as UTF-8 when it is
 * that, else byte by byte as Latin-1, from which the bytes can be told again. Nothing is ever replaced by U+FFFD.
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
    // An encoding that nobody knows, or bytes that are not what the header says.
    return undefined;
  }
}
