import type { ConfigError } from './result.ts';

/** An error that aborts the compilation. */
export class ConfigFault extends Error {
  readonly line: number | null;
  readonly file: string | null;

  constructor(message: string, line: number | null = null, file: string | null = null) {
    super(message);
    this.line = line;
    this.file = file;
  }
}

export interface Position {
  readonly line: number;
  readonly file: string | null;
}

/** Positions of the keys of all files by path; later files override earlier ones. */
export class Positions {
  private readonly positions = new Map<string, Position>();

  set(path: readonly string[], position: Position): void {
    this.positions.set(path.join('\0'), position);
  }

  /** The position of a path, or of its nearest known parent. */
  of(path: readonly string[]): Position | undefined {
    for (let length = path.length; length > 0; length--) {
      const found = this.positions.get(path.slice(0, length).join('\0'));
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** Path of an entry, such as `['jobs', 'test', 'retry']`. Its messages begin with `jobs:test:retry`. */
export type EntryPath = readonly string[];

/** Total characters of all messages. Without a limit, ten thousand jobs could each list ten thousand stages. */
const maxText = 500_000;

/** Deduplicates messages and limits their total length. The first message is always accepted. */
class MessageFilter {
  private readonly seen = new Set<string>();
  private length = 0;

  add(message: string): boolean {
    if (this.length > maxText || this.seen.has(message)) return false;
    this.seen.add(message);
    this.length += message.length;
    return true;
  }
}

/** Collects errors and warnings, so that all of them are reported at once. */
export class Problems {
  readonly errors: ConfigError[] = [];
  readonly warnings: string[] = [];
  private readonly positions: Positions;
  private readonly errorFilter = new MessageFilter();
  private readonly warningFilter = new MessageFilter();

  constructor(positions: Positions) {
    this.positions = positions;
  }

  /** Adds an error prefixed with its path: `jobs:test:retry config should be …`. */
  add(at: EntryPath, text: string): void {
    this.addMessage(at, `${at.join(':')} ${text}`);
  }

  /** Adds an error without a prefix, located at a path. */
  addMessage(at: EntryPath, message: string): void {
    if (!this.errorFilter.add(message)) return;
    const keys = at[0] === 'jobs' ? at.slice(1) : at;
    const position = this.positions.of(keys);
    this.errors.push({ message, line: position?.line ?? null, file: position?.file ?? null });
  }

  fault(fault: ConfigFault): void {
    this.errors.push({ message: fault.message, line: fault.line, file: fault.file });
  }

  warn(message: string): void {
    if (this.warningFilter.add(message)) this.warnings.push(message);
  }

  get any(): boolean {
    return this.errors.length > 0;
  }
}
