import { type Command, command, issueKinds } from './command.ts';
import { issueCommands } from './commands/issue.ts';
import { itemCommands } from './commands/item.ts';
import { labelCommands } from './commands/labels.ts';
import { mergeRequestCommands } from './commands/merge-request.ts';
import { peopleCommands } from './commands/people.ts';
import { planningCommands } from './commands/planning.ts';
import { relationCommands } from './commands/relations.ts';
import { timeCommands } from './commands/time.ts';

/**
 * Commands of features that Hearth does not have. They are known, so that they are removed from the text, but have no
 * effect.
 */
const withoutEffect: readonly Command[] = [
  ...['convert_to_ticket', 'page', 'publish', 'link', 'status'].map((name) => ({ name, on: issueKinds })),
  { name: 'ship', on: ['merge_request'] as const },
].map(({ name, on }) =>
  command({ name, on, right: 'update', argument: 'maybeText', when: () => false, run: () => undefined }),
);

/** All commands. */
export const commands: readonly Command[] = [
  ...itemCommands,
  ...peopleCommands,
  ...labelCommands,
  ...planningCommands,
  ...timeCommands,
  ...issueCommands,
  ...relationCommands,
  ...mergeRequestCommands,
  ...withoutEffect,
];

const byName = new Map(
  commands.flatMap((command) => [command.name, ...command.aliases].map((name) => [name, command])),
);

/** Finds a command by name or alias. */
export function commandNamed(name: string): Command | undefined {
  return byName.get(name);
}

const appended = (text: string) => (argument: string) => (argument === '' ? text : `${argument} ${text}`);

/** Commands that insert text and remain part of it. */
export const substitutions = new Map([
  ['shrug', appended('¯\\＿(ツ)＿/¯')],
  ['tableflip', appended('(╯°□°)╯︵ ┻━┻')],
]);
