import { type GitCommand, gitArguments } from '../../process/command.ts';
import { GitArgumentError } from '../../process/errors.ts';

/** The name of the script that `uploadpack.packObjectsHook` runs instead of `git pack-objects`. */
export const PACK_HOOK = 'pack-objects';

// Descriptor 3 is used in both directions: the command line, `pack` as the answer, the standard input of the command,
// then the pack. Descriptor 4 carries the command's progress messages. Without `pack`, because the server does not know
// the command line or has already served this session once, the script runs the command itself.
export const PACK_SCRIPT = `#!/bin/sh
printf '%s\\0' "$#" "$@" >&3
IFS= read -r answer <&3
[ "$answer" = pack ] || exec "$@"
{ cat; printf '\\0'; } >&3
cat <&4 >&2 &
exec cat <&3
`;

/** A pack requested by `upload-pack`. */
export interface PackRequest {
  readonly command: GitCommand;
  /** The wanted and existing object ids, and the boundaries of a shallow history. */
  readonly revisions: Buffer;
  /** Whether the repository's own shallow file is ignored. */
  readonly shallow: boolean;
}

const MAX_COMMAND_BYTES = 64 * 1024;

/** Reads the output of the hook: its command line and, once that is accepted, the revisions. */
export class PackHookReader {
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #bytes = 0;
  #words: string[] = [];
  #accepted: Omit<PackRequest, 'revisions'> | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Parses the next bytes. `command`: the hook waits for an answer; `unknown`: unsupported command; a request:
   * complete.
   */
  push(chunk: Buffer): 'more' | 'command' | 'unknown' | PackRequest {
    let start = 0;
    for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0, start)) {
      this.#hold(chunk.subarray(start, end));
      const field = Buffer.concat(this.#parts);
      this.#parts = [];
      start = end + 1;
      if (this.#accepted) return { ...this.#accepted, revisions: field };
      this.#words.push(field.toString('utf8'));
      const [count, ...words] = this.#words;
      if (Number(count) !== words.length) continue;
      this.#accepted = readCommand(words);
      return this.#accepted ? 'command' : 'unknown';
    }
    this.#hold(chunk.subarray(start));
    return 'more';
  }

  #hold(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > (this.#accepted ? this.#maxBytes : MAX_COMMAND_BYTES)) throw new Error('fetch request too large');
    this.#parts.push(part);
  }
}

/** Parses `git [--shallow-file ''] pack-objects FLAG...` as sent by upload-pack; undefined for flags of a newer git. */
function readCommand([git, ...rest]: readonly string[]): Omit<PackRequest, 'revisions'> | undefined {
  const shallow = rest[0] === '--shallow-file' && rest[1] === '';
  const [name, ...flags] = shallow ? rest.slice(2) : rest;
  if (git !== 'git' || name !== 'pack-objects') return undefined;
  const command: GitCommand = { name, flags };
  try {
    gitArguments(command);
  } catch (error) {
    if (error instanceof GitArgumentError) return undefined;
    throw error;
  }
  return { command, shallow };
}
