import type { Writer } from '../../platform/database/database.ts';
import { BadRequest, HttpError } from '../../platform/http/errors.ts';
import { rubyDump } from '../../platform/http/responses/ruby-dump.ts';
import { paragraphLinesOf } from '../markdown/public.ts';
import type { Changes } from './changes.ts';
import type { Context } from './command.ts';
import { mayHaveCommands } from './extract.ts';
import type { Wanted } from './findings.ts';
import { interpret, readQuickActions } from './interpret.ts';

/**
 * One thing that commands can be given to, as one writer finds it: the area that has it says which commands it carries out,
 * what they must know, and carries them out. Made anew for each text; `context` is asked only where a text has commands.
 *
 * An area hands one to the notes as `Noteable.commands`, and reads its own descriptions with `readCommands`.
 */
export interface CommandTarget {
  readonly carriesOut: ReadonlySet<string>;
  context(wanted: Required<Wanted>): Promise<Context>;
  /** Before that transaction: what takes too long in one. */
  prepare?(changes: Changes): Promise<void>;
  /** In the transaction in which the text is written. What cannot be done is refused as an update would be. */
  carryOut(trx: Writer, changes: Changes): Promise<void>;
}

/** A text whose commands were read and understood, and are still to be carried out. */
export interface UnderstoodText {
  /** Without the commands. */
  readonly body: string;
  readonly onlyCommands: boolean;
  readonly hasCommands: boolean;
  readonly changes: Changes;
  readonly messages: readonly string[];
}

export async function readCommands(
  text: string,
  { carriesOut, context, prepare }: Pick<CommandTarget, 'carriesOut' | 'context' | 'prepare'>,
): Promise<UnderstoodText> {
  const paragraphs = mayHaveCommands(text) ? await paragraphLinesOf(text) : [];
  const actions = readQuickActions(text, new Date().toISOString().slice(0, 10), paragraphs);
  const { body, onlyCommands } = actions;
  if (actions.given.length === 0) return { body, onlyCommands, hasCommands: false, changes: {}, messages: [] };
  const outcome = interpret(actions, await context(actions.wanted), carriesOut);
  await prepare?.(outcome.changes);
  return { body, onlyCommands, hasCommands: true, ...outcome };
}

function textsOf(problem: unknown): string[] {
  if (typeof problem === 'string') return [problem];
  if (typeof problem !== 'object' || problem === null) return [];
  return Object.values(problem).flatMap(textsOf);
}

/** The commands of a comment, refused in its name where one of them cannot be carried out. */
export async function carryOutForNote(target: CommandTarget, trx: Writer, changes: Changes): Promise<void> {
  try {
    await target.carryOut(trx, changes);
  } catch (error) {
    if (!(error instanceof HttpError) || error.status >= 500) throw error;
    throw new BadRequest(`Note ${rubyDump({ validation: textsOf(error.body) })}`);
  }
}
