import type { Config } from '../src/config/config.ts';
import type { Source } from '../src/config/read.ts';
import type { Settings, Values } from '../src/config/setting.ts';

/** One thing that the command line can do. */
export interface Command<Own extends Settings = Settings> {
  /** What it does, for `--help`. */
  about: string;
  /** Lines to try. */
  examples: readonly string[];
  flags: Own;
  /** Imports what it works with when it is called: help and mistakes must not wait for a server to load. */
  run(call: Call<Own>): Promise<number>;
}

/** What a command is called with. */
export interface Call<Own extends Settings = Settings> {
  config: Config;
  flags: Values<Own>;
  /** Where each setting and flag came from. */
  sources: Readonly<Record<keyof Config | keyof Own, Source>>;
}

/** Lets TypeScript work out the types of a command's flags. */
export function defineCommand<Own extends Settings>(command: Command<Own>): Command<Own> {
  return command;
}

/** A failure that needs words, not a stack trace. */
export class CommandError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
