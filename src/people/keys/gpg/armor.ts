const block = /^-----BEGIN PGP PUBLIC KEY BLOCK-----\r?\n([\s\S]*?)\r?\n-----END PGP PUBLIC KEY BLOCK-----\s*$/;

/** The bytes inside an ASCII-armored public key; undefined for anything else, a private key above all. */
export function readArmor(text: string): Buffer | undefined {
  const body = block.exec(text.trim())?.[1];
  if (body === undefined) return undefined;
  const lines = body.split(/\r?\n/);
  // Headers, if any, end with a blank line; the checksum at the end starts with an equals sign.
  const blank = lines.findIndex((line) => line.trim() === '');
  if (lines.slice(0, Math.max(blank, 0)).some((line) => !/^[A-Za-z]+: /.test(line))) return undefined;
  const data = lines.slice(blank + 1).filter((line) => !line.startsWith('='));
  const encoded = data.join('').replaceAll(/\s/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return undefined;
  const checksum = lines.findLast((line) => line.startsWith('='));
  const bytes = Buffer.from(encoded, 'base64');
  return checksum === undefined || checksum.slice(1).trim() === crc24(bytes) ? bytes : undefined;
}

/** The checksum of armor, in base64. */
function crc24(bytes: Buffer): string {
  let crc = 0xb704ce;
  for (const byte of bytes) {
    crc ^= byte << 16;
    for (let bit = 0; bit < 8; bit++) {
      crc <<= 1;
      if (crc & 0x1000000) crc ^= 0x1864cfb;
    }
  }
  return Buffer.from([(crc >> 16) & 0xff, (crc >> 8) & 0xff, crc & 0xff]).toString('base64');
}
