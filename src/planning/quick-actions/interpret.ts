import type { Changes } from './changes.ts';
import type { Command, Context, NoteableKind, Prepared } from './command.ts';
import { commandNamed, substitutions } from './commands.ts';
import type { Day } from './dates.ts';
import { extractCommands } from './extract.ts';
import { type LookupRequest, mergeLookups } from './findings.ts';

/** Maximum number of commands executed per text, because a text can contain a million lines. */
const MAX_COMMANDS = 100;

interface Given {
  readonly name: string;
  readonly command: Command;
  /** Undefined if the argument is invalid. */
  readonly prepared: Prepared | undefined;
}

/** A text with parsed commands, before any lookup. */
export interface QuickActions {
  /** The text without commands, which is stored as note or description. */
  readonly body: string;
  /** Primary names of the commands, in order. */
  readonly names: readonly string[];
  /** Whether the text consists of commands only. */
  readonly onlyCommands: boolean;
  /** Names to be looked up before interpreting the commands. */
  readonly wanted: Required<LookupRequest>;
  readonly given: readonly Given[];
}

export interface Outcome {
  /** The changes to execute, also shown as `commands_changes`. */
  readonly changes: Changes;
  readonly messages: readonly string[];
}

/** Parses the commands of a text; `paragraphs` are the numbers of the lines in paragraphs. */
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
    wanted: mergeLookups(given.map(({ prepared }) => prepared?.wanted ?? {})),
    given,
  };
}

/**
 * Computes the changes that commands make. Only commands in `supported`, which the area of the item supports, have an
 * effect.
 */
export function interpret(actions: QuickActions, context: Context, supported: ReadonlySet<string>): Outcome {
  const changes: Changes = {};
  const messages: string[] = [];
  for (const { name, command, prepared } of actions.given) {
    const refusal = `Could not apply ${name} command.`;
    const applies: readonly NoteableKind[] = command.on;
    const allowed =
      applies.includes(context.subject.kind) &&
      supported.has(name) &&
      context.can(command.right) &&
      command.when(context);
    if (!allowed) {
      messages.push(refusal);
      continue;
    }
    const result = prepared?.run(context, changes);
    if (typeof result === 'string') messages.push(result);
    else if (result !== undefined) messages.push(`${refusal} ${result.failure}.`);
  }
  return { changes, messages };
}

/** Messages in the format of the `summary` attribute. */
export function summaryOf(messages: readonly string[]): string[] {
  return messages.length === 0 ? [] : [messages.join(' ')];
}
