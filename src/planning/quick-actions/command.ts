import { type ArgumentKind, type ArgumentOf, parseArgument } from './arguments.ts';
import type { Changes } from './changes.ts';
import type { Day } from './dates.ts';
import type { LookupRequest, LookupResults, Person, Titled } from './findings.ts';

/** Types of items that support commands. */
export type NoteableKind = 'issue' | 'incident' | 'task' | 'merge_request' | 'epic' | 'commit';

/** Permission that a command requires; the item's area maps it to abilities of the policy. */
export type CommandPermission =
  | 'read'
  | 'comment'
  | 'award'
  | 'update'
  | 'set_metadata'
  | 'admin'
  | 'track_time'
  | 'link'
  | 'move'
  | 'promote'
  | 'merge'
  | 'push'
  | 'approve'
  | 'review'
  | 'run_pipeline'
  | 'create_merge_request';

/** State of the item before the commands; attributes that the type does not have are absent. */
export interface Subject {
  readonly kind: NoteableKind;
  readonly state: 'opened' | 'closed' | 'merged' | 'locked';
  readonly assignees?: readonly Person[];
  readonly reviewers?: readonly Person[];
  readonly labels?: readonly Titled[];
  readonly milestone?: Titled | null;
  readonly dueDate?: Day | null;
  readonly timeEstimate?: number;
  readonly totalTimeSpent?: number;
  readonly confidential?: boolean;
  readonly discussionLocked?: boolean;
  readonly draft?: boolean;
  readonly sourceBranch?: string;
  readonly weight?: number | null;
  readonly healthStatus?: string | null;
  readonly hasParent?: boolean;
  readonly iteration?: Titled | null;
  /** Labels of the lists of the project's only board; absent if there is no board or several. */
  readonly boardColumns?: readonly number[];
  /** Whether the writer is subscribed, has a pending to-do item, or has approved. */
  readonly subscribed?: boolean;
  readonly pendingTodo?: boolean;
  readonly approved?: boolean;
}

export interface Context {
  readonly subject: Subject;
  readonly writer: Person;
  readonly today: Day;
  /** Time of writing, for timestamps. */
  readonly now: Date;
  /** Whether durations are shown in hours at most. */
  readonly hoursOnly: boolean;
  readonly can: (right: CommandPermission) => boolean;
  /** Lookup of the objects named in the arguments. */
  readonly found: LookupResults;
}

/** Outcome of a command: a message, a failure with its explanation, or undefined if it had no effect. */
export type CommandResult = string | { readonly failure: string } | undefined;

export interface Definition<Kind extends ArgumentKind> {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly on: readonly NoteableKind[];
  readonly right: CommandPermission;
  readonly argument: Kind;
  /** Precondition on the state of the item; if false, the command does not apply. */
  readonly when?: (context: Context) => boolean;
  /** Names to be looked up for the command. */
  readonly wants?: (argument: ArgumentOf[Kind]) => LookupRequest;
  readonly run: (argument: ArgumentOf[Kind], context: Context, changes: Changes) => CommandResult;
}

/** A command with its parsed argument. */
export interface Prepared {
  readonly wanted: LookupRequest;
  readonly run: (context: Context, changes: Changes) => CommandResult;
}

export interface Command {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly on: readonly NoteableKind[];
  readonly right: CommandPermission;
  readonly argument: ArgumentKind;
  readonly when: (context: Context) => boolean;
  /** Returns undefined if the argument is invalid. */
  readonly prepare: (text: string, today: Day) => Prepared | undefined;
}

export function command<Kind extends ArgumentKind>(definition: Definition<Kind>): Command {
  const { name, aliases = [], on, right, argument, when = () => true, wants, run } = definition;
  const prepare = (text: string, today: Day): Prepared | undefined => {
    const read = parseArgument(argument, text, today);
    if (read === undefined) return undefined;
    return { wanted: wants?.(read) ?? {}, run: (context, changes) => run(read, context, changes) };
  };
  return { name, aliases, on, right, argument, when, prepare };
}

const nouns: Readonly<Record<NoteableKind, string>> = {
  issue: 'issue',
  incident: 'incident',
  task: 'task',
  merge_request: 'merge request',
  epic: 'epic',
  commit: 'commit',
};

export function nounOf({ subject }: Context): string {
  return nouns[subject.kind];
}

/** `a`, `a and b`, `a, b, and c`. */
export function joinWords(words: readonly string[]): string {
  if (words.length < 3) return words.join(' and ');
  return `${words.slice(0, -1).join(', ')}, and ${words.at(-1)}`;
}

export const issueKinds = ['issue', 'incident', 'task'] as const;
export const issuableKinds = [...issueKinds, 'merge_request'] as const;
export const plannableKinds = [...issuableKinds, 'epic'] as const;
