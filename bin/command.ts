import type { Config } from '../src/config/config.ts';
import type { Source } from '../src/config/read.ts';
import type { Settings, Values } from '../src/config/setting.ts';

/** A command of the command line. */
export interface Command<Own extends Settings = Settings> {
  /** One line for `--help`. */
  about: string;
  /** Example calls. */
  examples: readonly string[];
  flags: Own;
  /** Loads its implementation when called, so that help and usage errors need not wait for a server to load. */
  run(call: Call<Own>): Promise<number>;
}

/** Options of a command call. */
export interface Call<Own extends Settings = Settings> {
  config: Config;
  flags: Values<Own>;
  /** Where each setting and flag came from. */
  sources: Readonly<Record<keyof Config | keyof Own, Source>>;
}

/** Lets TypeScript infer the types of a command's flags. */
export function defineCommand<Own extends Settings>(command: Command<Own>): Command<Own> {
  return command;
}

/** A failure that is reported as a sentence, without a stack trace. */
export class CommandError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
