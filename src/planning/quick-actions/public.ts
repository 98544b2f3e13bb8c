export type { Changes } from './changes.ts';
export type { Command, CommandPermission, Context, NoteableKind, Subject } from './command.ts';
export { commandNamed, commands } from './commands.ts';
export { type Day, parseDay, shortDay } from './dates.ts';
export { type CommandTarget, executeForNote, readCommands, type UnderstoodText } from './executor.ts';
export type { FoundItem, LookupRequest, LookupResults, Person, Titled } from './findings.ts';
export { interpret, type Outcome, type QuickActions, readQuickActions, summaryOf } from './interpret.ts';
export { lookUp, lookUpInGroup } from './lookup.ts';
