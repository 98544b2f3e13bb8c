import type { Readable } from 'node:stream';
import type { Encryption } from '../../platform/secrets/encryption.ts';

/** Size of the pieces encrypted individually, which bounds memory use while streaming. */
const pieceBytes = 64 * 1024;

// Each piece is bound to its file and index, and an empty piece terminates the file. Anyone with write access to the
// storage therefore cannot swap, repeat, drop or truncate pieces undetected.
const purposeOf = (file: string, index: number) => `terraform_states.content ${file} ${index}`;

/** Encrypts a state for storage: one line per separately encrypted piece. */
export async function* encryptState(
  encryption: Encryption,
  file: string,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer> {
  let index = 0;
  // Latin-1 maps every byte to one character, and most of a state is ASCII.
  const seal = (piece: Uint8Array) =>
    Buffer.from(`${encryption.encrypt(Buffer.from(piece).toString('latin1'), purposeOf(file, index++))}\n`);
  for await (const chunk of content) {
    for (let at = 0; at < chunk.length; at += pieceBytes) yield seal(chunk.subarray(at, at + pieceBytes));
  }
  yield seal(new Uint8Array());
}

/** Decrypts a stored state. Throws if a piece was tampered with. */
export async function* decryptState(encryption: Encryption, file: string, stream: Readable): AsyncGenerator<Buffer> {
  let [index, remainder, closed] = [0, '', false];
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const lines = (remainder + chunk.toString('latin1')).split('\n');
    remainder = lines.pop() ?? '';
    for (const line of lines) {
      const piece = Buffer.from(encryption.decrypt(line, purposeOf(file, index++)), 'latin1');
      closed = piece.length === 0;
      if (!closed) yield piece;
    }
  }
  if (!closed) throw new Error(`the Terraform state ${file} is truncated`);
}
