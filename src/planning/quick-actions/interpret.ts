import type { Changes } from './changes.ts';
import type { Command, Context, NoteableKind, Prepared } from './command.ts';
import { commandNamed, substitutions } from './commands.ts';
import type { Day } from './dates.ts';
import { extractCommands } from './extract.ts';
import { type Wanted, wantedByAll } from './findings.ts';

/** More commands than this are left without effect: a text may have a million lines. */
const MAX_COMMANDS = 100;

interface Given {
  readonly name: string;
  readonly command: Command;
  /** Nothing where the text after the command is not what it takes. */
  readonly prepared: Prepared | undefined;
}

/** A text with its commands read, before anything is looked up. */
export interface QuickActions {
  /** The text without its commands: what becomes the comment or the description. */
  readonly body: string;
  /** The main names of the commands, in their order. */
  readonly names: readonly string[];
  /** Whether nothing but commands was written. */
  readonly onlyCommands: boolean;
  /** What has to be looked up to carry them out. */
  readonly wanted: Required<Wanted>;
  readonly given: readonly Given[];
}

export interface Outcome {
  /** What `commands_changes` shows, and what has to be carried out. */
  readonly changes: Changes;
  readonly messages: readonly string[];
}

/** Reads the commands of a text, of which `paragraphs` are the lines that stand in paragraphs. */
export function readQuickActions(text: string, today: Day, paragraphs: readonly number[]): QuickActions {
  const { body, commands } = extractCommands(
    text,
    paragraphs,
    (name) => commandNamed(name) !== undefined,
    substitutions,
  );
  const given = commands.slice(0, MAX_COMMANDS).flatMap(({ name, argument }) => {
    const command = commandNamed(name);
    return command ? [{ name: command.name, command, prepared: command.prepare(argument, today) }] : [];
  });
  return {
    body,
    names: given.map(({ name }) => name),
    onlyCommands: commands.length > 0 && body === '',
    wanted: wantedByAll(given.map(({ prepared }) => prepared?.wanted ?? {})),
    given,
  };
}

/**
 * Decides what the commands of a text change. `carriesOut` are the commands that the area of the item can execute: those
 * and no others have an effect.
 */
export function interpret(actions: QuickActions, context: Context, carriesOut: ReadonlySet<string>): Outcome {
  const changes: Changes = {};
  const messages: string[] = [];
  for (const { name, command, prepared } of actions.given) {
    const refusal = `Could not apply ${name} command.`;
    const applies: readonly NoteableKind[] = command.on;
    const allowed =
      applies.includes(context.subject.kind) &&
      carriesOut.has(name) &&
      context.can(command.right) &&
      command.when(context);
    if (!allowed) {
      messages.push(refusal);
      continue;
    }
    const said = prepared?.run(context, changes);
    if (typeof said === 'string') messages.push(said);
    else if (said !== undefined) messages.push(`${refusal} ${said.failure}.`);
  }
  return { changes, messages };
}

/** The messages as `summary` shows them. */
export function summaryOf(messages: readonly string[]): string[] {
  return messages.length === 0 ? [] : [messages.join(' ')];
}
