import type { ConfigError } from './result.ts';

/** A fault after which nothing more can be said about the configuration. */
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

/** Where the keys of all files stand, by their path; a later file takes over what it says again. */
export class Positions {
  private readonly known = new Map<string, Position>();

  set(path: readonly string[], position: Position): void {
    this.known.set(path.join('\0'), position);
  }

  /** The position of the path, or of the nearest thing around it. */
  of(path: readonly string[]): Position | undefined {
    for (let length = path.length; length > 0; length--) {
      const found = this.known.get(path.slice(0, length).join('\0'));
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** An entry of the configuration: `['jobs', 'test', 'retry']`. Its messages begin with `jobs:test:retry`. */
export type At = readonly string[];

/** Characters of all messages together: ten thousand jobs can each be told of ten thousand stages. */
const maxText = 500_000;

/** Tells which messages are new, until there are too many. The first of them always is. */
class Told {
  private readonly known = new Set<string>();
  private length = 0;

  add(message: string): boolean {
    if (this.length > maxText || this.known.has(message)) return false;
    this.known.add(message);
    this.length += message.length;
    return true;
  }
}

/** Collects what is wrong, so that its author hears of all of it at once. */
export class Problems {
  readonly errors: ConfigError[] = [];
  readonly warnings: string[] = [];
  private readonly positions: Positions;
  private readonly told = new Told();
  private readonly warned = new Told();

  constructor(positions: Positions) {
    this.positions = positions;
  }

  /** `jobs:test:retry` + `config should be …`. */
  add(at: At, text: string): void {
    this.say(at, `${at.join(':')} ${text}`);
  }

  /** A message of its own that belongs to a place. */
  say(at: At, message: string): void {
    if (!this.told.add(message)) return;
    const keys = at[0] === 'jobs' ? at.slice(1) : at;
    const position = this.positions.of(keys);
    this.errors.push({ message, line: position?.line ?? null, file: position?.file ?? null });
  }

  fault(fault: ConfigFault): void {
    this.errors.push({ message: fault.message, line: fault.line, file: fault.file });
  }

  warn(message: string): void {
    if (this.warned.add(message)) this.warnings.push(message);
  }

  get any(): boolean {
    return this.errors.length > 0;
  }
}
