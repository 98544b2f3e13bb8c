/** One packet of an OpenPGP message: its kind and content. */
export interface Packet {
  readonly tag: number;
  readonly body: Buffer;
}

/** The packets of a message in order; throws at anything cut short, or of a length that is not given. */
export function* readPackets(bytes: Buffer): Generator<Packet> {
  let at = 0;
  while (at < bytes.length) {
    const header = bytes.readUInt8(at);
    if ((header & 0x80) === 0) throw new RangeError('not a packet');
    const isNew = (header & 0x40) !== 0;
    const tag = isNew ? header & 0x3f : (header >> 2) & 0x0f;
    const [length, start] = isNew ? newLength(bytes, at + 1) : oldLength(bytes, at + 1, header & 3);
    if (start + length > bytes.length) throw new RangeError('a packet is cut short');
    yield { tag, body: bytes.subarray(start, start + length) };
    at = start + length;
  }
}

/** The length that begins here, and where the content does. */
function newLength(bytes: Buffer, at: number): [number, number] {
  const first = bytes.readUInt8(at);
  if (first < 192) return [first, at + 1];
  if (first < 224) return [((first - 192) << 8) + bytes.readUInt8(at + 1) + 192, at + 2];
  if (first === 255) return [bytes.readUInt32BE(at + 1), at + 5];
  throw new RangeError('a packet in parts has no place in a key');
}

function oldLength(bytes: Buffer, at: number, type: number): [number, number] {
  if (type === 0) return [bytes.readUInt8(at), at + 1];
  if (type === 1) return [bytes.readUInt16BE(at), at + 2];
  if (type === 2) return [bytes.readUInt32BE(at), at + 4];
  throw new RangeError('a packet without a length has no place in a key');
}
