import type { Writer } from '../../platform/database/database.ts';
import { BadRequest, HttpError } from '../../platform/http/errors.ts';
import { rubyDump } from '../../platform/http/responses/ruby-dump.ts';
import { paragraphLinesOf } from '../markdown/public.ts';
import type { Changes } from './changes.ts';
import type { Context } from './command.ts';
import { mayHaveCommands } from './extract.ts';
import type { LookupRequest } from './findings.ts';
import { interpret, readQuickActions } from './interpret.ts';

/**
 * An item as the target of commands of one writer: its area defines the supported commands, provides their context and
 * executes them. Created for each text; `context` is only called for texts with commands.
 *
 * An area passes it to the notes as `Noteable.commands`, and parses its own descriptions with `readCommands`.
 */
export interface CommandTarget {
  readonly supported: ReadonlySet<string>;
  context(wanted: Required<LookupRequest>): Promise<Context>;
  /** Runs before the transaction, for work that is too slow inside it. */
  prepare?(changes: Changes): Promise<void>;
  /** Runs in the transaction that writes the text. Throws the same errors as an update would. */
  executeCommands(trx: Writer, changes: Changes): Promise<void>;
}

/** A text whose commands have been parsed and interpreted, but not executed yet. */
export interface UnderstoodText {
  /** The text without commands. */
  readonly body: string;
  readonly onlyCommands: boolean;
  readonly hasCommands: boolean;
  readonly changes: Changes;
  readonly messages: readonly string[];
}

export async function readCommands(
  text: string,
  { supported, context, prepare }: Pick<CommandTarget, 'supported' | 'context' | 'prepare'>,
): Promise<UnderstoodText> {
  const paragraphs = mayHaveCommands(text) ? await paragraphLinesOf(text) : [];
  const actions = readQuickActions(text, new Date().toISOString().slice(0, 10), paragraphs);
  const { body, onlyCommands } = actions;
  if (actions.given.length === 0) return { body, onlyCommands, hasCommands: false, changes: {}, messages: [] };
  const outcome = interpret(actions, await context(actions.wanted), supported);
  await prepare?.(outcome.changes);
  return { body, onlyCommands, hasCommands: true, ...outcome };
}

function textsOf(problem: unknown): string[] {
  if (typeof problem === 'string') return [problem];
  if (typeof problem !== 'object' || problem === null) return [];
  return Object.values(problem).flatMap(textsOf);
}

/** Executes the commands of a note; client errors are reported as errors of the note. */
export async function executeForNote(target: CommandTarget, trx: Writer, changes: Changes): Promise<void> {
  try {
    await target.executeCommands(trx, changes);
  } catch (error) {
    if (!(error instanceof HttpError) || error.status >= 500) throw error;
    throw new BadRequest(`Note ${rubyDump({ validation: textsOf(error.body) })}`);
  }
}
