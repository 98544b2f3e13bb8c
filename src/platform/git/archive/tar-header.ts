export const BLOCK = 512;
/** Largest size that the twelve octal digits of a header can express. */
export const MAX_OCTAL_SIZE = 0o77777777777;

/** `<length> key=value\n`, where the length counts its own digits. */
export function paxRecord(key: string, value: Buffer): Buffer {
  const rest = Buffer.concat([Buffer.from(` ${key}=`), value, Buffer.from('\n')]);
  let length = rest.length;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

/** Writes the checksum of a header into it. */
export function writeChecksum(block: Buffer): void {
  block.fill(0x20, 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(7, '0')}\0`, 148, 'latin1');
}

/** Returns the number of bytes that fill up the last block. */
export function padding(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}
