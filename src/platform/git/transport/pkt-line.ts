const hex = /^[0-9a-f]{4}$/i;

/** Formats a pkt-line: the length in four hex digits, then the text. */
export function pktLine(text: string | Buffer): string {
  return `${lengthOf(Buffer.byteLength(text))}${text}`;
}

/** Formats text for the client to display, on the progress side-band. */
export function progressLine(text: string): Buffer {
  const bytes = Buffer.from(`\x02${text}`);
  return Buffer.concat([Buffer.from(lengthOf(bytes.length)), bytes]);
}

function lengthOf(bytes: number): string {
  return (bytes + 4).toString(16).padStart(4, '0');
}

/** Yields the contents of the lines up to the first malformed one; flush and similar packets are skipped. */
export function* packetsIn(bytes: Buffer): Generator<Buffer, void> {
  let at = 0;
  while (bytes.length - at >= 4) {
    const size = sizeAt(bytes, at);
    if (size === undefined || at + size > bytes.length) return;
    if (size > 4) yield bytes.subarray(at + 4, at + size);
    at += size;
  }
}

/** Yields the same bytes, split only at line ends. Malformed data is passed through. */
export async function* wholePackets(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = endOfWhole(bytes);
    if (end > 0) yield bytes.subarray(0, end);
    rest = bytes.subarray(end);
  }
  if (rest.length > 0) yield rest;
}

function endOfWhole(bytes: Buffer): number {
  let at = 0;
  while (bytes.length - at >= 4) {
    const size = sizeAt(bytes, at);
    if (size === undefined) return bytes.length;
    if (at + size > bytes.length) break;
    at += size;
  }
  return at;
}

/**
 * Returns the length of the line at an offset, including its header. Flush and delimiter packets consist of the header
 * only.
 */
function sizeAt(bytes: Buffer, at: number): number | undefined {
  const head = bytes.toString('latin1', at, at + 4);
  return hex.test(head) ? Math.max(Number.parseInt(head, 16), 4) : undefined;
}
