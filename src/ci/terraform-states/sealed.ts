import type { Readable } from 'node:stream';
import type { Encryption } from '../../platform/secrets/encryption.ts';

/** So much is sealed at once: it bounds what is held while a state passes. */
const pieceBytes = 64 * 1024;

// Each piece is bound to its file and its place in it, and an empty one closes the file: nobody who can write to the
// storage can swap, repeat, leave out or cut off anything unnoticed.
const purposeOf = (file: string, index: number) => `terraform_states.content ${file} ${index}`;

/** The bytes of a state as they are kept: a line for each piece, sealed by itself. */
export async function* sealed(
  encryption: Encryption,
  file: string,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer> {
  let index = 0;
  // Every byte is one character this way, and most of a state is ASCII.
  const seal = (piece: Uint8Array) =>
    Buffer.from(`${encryption.encrypt(Buffer.from(piece).toString('latin1'), purposeOf(file, index++))}\n`);
  for await (const chunk of content) {
    for (let at = 0; at < chunk.length; at += pieceBytes) yield seal(chunk.subarray(at, at + pieceBytes));
  }
  yield seal(new Uint8Array());
}

/** The same back. Throws where a piece is not what was kept. */
export async function* unsealed(encryption: Encryption, file: string, stream: Readable): AsyncGenerator<Buffer> {
  let [index, rest, closed] = [0, '', false];
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const piece = Buffer.from(encryption.decrypt(line, purposeOf(file, index++)), 'latin1');
      closed = piece.length === 0;
      if (!closed) yield piece;
    }
  }
  if (!closed) throw new Error(`the Terraform state ${file} was cut off`);
}
