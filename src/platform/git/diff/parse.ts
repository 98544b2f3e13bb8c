import { unquotePath } from '../trees/quoted-path.ts';

/** One file that differs between two trees. */
export interface Change {
  /** Path bytes as a latin1 string; `decodePath` converts them to text. */
  readonly oldPath: string;
  readonly newPath: string;
  /** Six octal digits; `000000` when the file does not exist on that side. */
  readonly oldMode: string;
  readonly newMode: string;
  readonly oldId: string;
  readonly newId: string;
  readonly newFile: boolean;
  readonly deletedFile: boolean;
  readonly renamedFile: boolean;
}

/** A change together with its patch. */
export interface DiffEntry extends Change {
  /** Starts at the first `@@` or the `Binary files` line; empty when over the parser's limit. */
  readonly patch: Buffer;
  /** Size of the patch, even if it was dropped. */
  readonly patchBytes: number;
  /** Number of lines of the patch, even if it was dropped. */
  readonly patchLines: number;
  readonly additions: number;
  readonly deletions: number;
  readonly binary: boolean;
}

const NEWLINE = 10;
// The `d` of `diff --git`: no line of a patch starts with it.
const HEADER = 0x64;
const ZERO_MODE = '000000';
// Enough of a line to classify it.
const PREFIX_BYTES = 16;
// A tree can contain names of any length; longer ones are truncated.
const MAX_HEADER_BYTES = 64 * 1024;

type LineKind = 'raw' | 'skip' | 'patch';

/**
 * Parses the output of `git diff-tree --raw -p` chunk by chunk. Memory is bounded by the list of changes (at most
 * `maxChanges`) and one patch: a patch above `maxPatchBytes` is counted but dropped, whatever the length of its lines.
 */
export class DiffParser {
  readonly #maxPatchBytes: number;
  readonly #maxChanges: number;
  readonly #changes: Change[] = [];
  #next = 0;
  #overrun = false;
  #rest: Buffer = Buffer.alloc(0);
  #line: LineKind | undefined;
  #header: Buffer[] = [];
  #headerBytes = 0;
  #body: PatchBody | undefined;
  #ready: DiffEntry[] = [];

  constructor(options: { readonly maxPatchBytes: number; readonly maxChanges: number }) {
    this.#maxPatchBytes = options.maxPatchBytes;
    this.#maxChanges = options.maxChanges;
  }

  /** Whether all accepted changes have been returned while the output has more. */
  get overrun(): boolean {
    return this.#overrun && this.#next >= this.#changes.length;
  }

  /** Parses the next chunk and returns the entries completed by it. */
  push(chunk: Buffer): DiffEntry[] {
    let data = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    while (data.length > 0) {
      if (this.#line === undefined) data = this.#passLines(data);
      const newline = data.indexOf(NEWLINE);
      if (data.length === 0) break;
      if (this.#line === undefined) {
        if (newline < 0 && data.length < PREFIX_BYTES) break;
        this.#line = this.#classify(data);
      }
      const end = newline < 0 ? data.length : newline + 1;
      this.#consume(data.subarray(0, end), newline >= 0);
      data = data.subarray(end);
    }
    this.#rest = data;
    return this.#take();
  }

  /** Returns the remaining entries at the end of the output. */
  end(): DiffEntry[] {
    if (this.#rest.length > 0) {
      this.#line ??= this.#classify(this.#rest);
      this.#consume(this.#rest, true);
      this.#rest = Buffer.alloc(0);
    }
    this.#finishPatch();
    return this.#take();
  }

  /**
   * Consumes all complete lines of the current patch at once, because there may be hundreds of thousands. Returns the
   * rest.
   */
  #passLines(data: Buffer): Buffer {
    const body = this.#body;
    if (!body?.started) return data;
    let end = 0;
    while (end < data.length && data[end] !== HEADER) {
      const newline = endOfLine(data, end);
      if (newline < 0) break;
      body.countLine(data[end]);
      end = newline + 1;
    }
    if (end > 0) body.append(data.subarray(0, end));
    return data.subarray(end);
  }

  #classify(line: Buffer): LineKind {
    const body = this.#body;
    // Lines of a patch start with a space, a sign, `@` or a backslash, so a `d` always starts the next file's header.
    if (startsWith(line, 'diff --git ')) {
      this.#finishPatch();
      this.#body = new PatchBody(this.#maxPatchBytes);
      return 'skip';
    }
    if (!body) return startsWith(line, ':') ? 'raw' : 'skip';
    if (!body.started) {
      const binary = startsWith(line, 'Binary files ');
      if (!binary && !startsWith(line, '@@ ')) return 'skip';
      body.started = true;
      body.binary = binary;
    }
    body.countLine(line[0]);
    return 'patch';
  }

  #consume(part: Buffer, complete: boolean): void {
    if (this.#line === 'patch') this.#body?.append(part);
    if (this.#line === 'raw' && this.#headerBytes < MAX_HEADER_BYTES) {
      this.#header.push(part);
      this.#headerBytes += part.length;
    }
    if (!complete) return;
    if (this.#line === 'raw') {
      if (this.#changes.length >= this.#maxChanges) this.#overrun = true;
      else this.#changes.push(...parseRawLine(Buffer.concat(this.#header).toString('latin1')));
      this.#header = [];
      this.#headerBytes = 0;
    }
    this.#line = undefined;
  }

  #finishPatch(): void {
    const change = this.#changes[this.#next];
    if (this.#body && change) {
      this.#ready.push(entryOf(change, this.#body));
      this.#next++;
    }
    this.#body = undefined;
  }

  #take(): DiffEntry[] {
    const ready = this.#ready;
    this.#ready = [];
    return ready;
  }
}

class PatchBody {
  started = false;
  binary = false;
  bytes = 0;
  lines = 0;
  additions = 0;
  deletions = 0;
  #parts: Buffer[] = [];
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  countLine(first: number | undefined): void {
    this.lines++;
    if (this.binary) return;
    if (first === 0x2b) this.additions++;
    else if (first === 0x2d) this.deletions++;
  }

  append(part: Buffer): void {
    this.bytes += part.length;
    if (this.bytes > this.#limit) this.#parts = [];
    else this.#parts.push(part);
  }

  get patch(): Buffer {
    return Buffer.concat(this.#parts);
  }
}

function entryOf(change: Change, body: PatchBody): DiffEntry {
  return {
    ...change,
    patch: body.patch,
    patchBytes: body.bytes,
    patchLines: body.lines,
    additions: body.additions,
    deletions: body.deletions,
    binary: body.binary,
  };
}

const RAW_LINE = /^:([0-7]{6}) ([0-7]{6}) ([0-9a-f]+) ([0-9a-f]+) ([A-Z])[0-9]*\t([^\t\n]*)(?:\t([^\t\n]*))?\n?$/;

/** Parses one line of `--raw` output. A type change yields a deletion and an addition, as in its patch. */
export function parseRawLine(line: string): Change[] {
  const match = RAW_LINE.exec(line);
  if (!match) return [];
  const [, oldMode = '', newMode = '', oldId = '', newId = '', status = '', first = '', second] = match;
  const oldPath = unquotePath(first)?.path ?? first;
  const newPath = second === undefined ? oldPath : (unquotePath(second)?.path ?? second);
  const change: Change = {
    oldPath,
    newPath,
    oldMode,
    newMode,
    oldId,
    newId,
    newFile: status === 'A',
    deletedFile: status === 'D',
    renamedFile: status === 'R',
  };
  if (status !== 'T') return [change];
  const none = '0'.repeat(oldId.length);
  return [
    { ...change, newMode: ZERO_MODE, newId: none, deletedFile: true },
    { ...change, oldMode: ZERO_MODE, oldId: none, newFile: true },
  ];
}

/** Returns the end of the line starting there. Most lines are short, so a byte loop is faster than `indexOf`. */
function endOfLine(data: Buffer, start: number): number {
  const near = Math.min(start + 48, data.length);
  for (let at = start; at < near; at++) if (data[at] === NEWLINE) return at;
  return data.indexOf(NEWLINE, near);
}

function startsWith(line: Buffer, text: string): boolean {
  return line.length >= text.length && line.toString('latin1', 0, text.length) === text;
}
