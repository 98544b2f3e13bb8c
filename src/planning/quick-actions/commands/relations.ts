import { type Command, type CommandResult, type Context, command, issueKinds, nounOf } from '../command.ts';
import type { FoundItem } from '../findings.ts';

const wantsItems = (items: readonly string[]) => ({ items });

/** Resolves the items of an argument, all of one kind; fails if any of them is not found. */
function find(references: readonly string[], kind: FoundItem['kind'], { found }: Context) {
  const items = references.map((reference) => found.item(reference));
  const missing = references.filter((_, at) => items[at]?.kind !== kind);
  if (missing.length > 0) return { failure: `Failed to find ${missing.join(' ')}` };
  return items.flatMap((item) => item ?? []);
}

type Column = 'relate_issue_ids' | 'unlink_issue_ids' | 'blocks_issue_ids' | 'blocked_by_issue_ids';

function link(column: Column, message: (items: string, noun: string) => string) {
  return (references: readonly string[], context: Context, changes: { [Name in Column]?: number[] }): CommandResult => {
    const items = find(references, 'issue', context);
    if (!Array.isArray(items)) return items;
    changes[column] = [...new Set([...(changes[column] ?? []), ...items.map(({ id }) => id)])];
    return message(items.map(({ reference }) => reference).join(' '), nounOf(context));
  };
}

function setParent(references: string, context: Context, changes: { parent_id?: number | null }): CommandResult {
  const items = find([references], 'epic', context);
  if (!Array.isArray(items)) return items;
  changes.parent_id = items[0]?.id ?? null;
  return context.subject.kind === 'issue' ? 'Added an issue to an epic.' : 'Parent item set successfully.';
}

function children(column: 'add_child_ids' | 'remove_child_ids', message: string) {
  return (
    references: readonly string[],
    context: Context,
    changes: { add_child_ids?: number[]; remove_child_ids?: number[] },
  ): CommandResult => {
    const items = find(references, context.subject.kind === 'epic' ? 'epic' : 'issue', context);
    if (!Array.isArray(items)) return items;
    changes[column] = [...new Set([...(changes[column] ?? []), ...items.map(({ id }) => id)])];
    return message;
  };
}

const removeParent = (_: true, { subject }: Context, changes: { parent_id?: number | null }): CommandResult => {
  changes.parent_id = null;
  return subject.kind === 'issue' ? 'Removed an issue from an epic.' : 'Parent item removed successfully.';
};

/** Commands for links between items. */
export const relationCommands: readonly Command[] = [
  command({
    name: 'duplicate',
    on: issueKinds,
    right: 'update',
    argument: 'item',
    wants: (item) => ({ items: [item] }),
    run: (reference, context, changes) => {
      const items = find([reference], 'issue', context);
      if (!Array.isArray(items))
        return { failure: 'Failed to mark this issue as a duplicate because referenced issue was not found' };
      changes.canonical_issue_id = items[0]?.id ?? 0;
      return `Closed this ${nounOf(context)}. Marked as related to, and a duplicate of, ${items[0]?.reference}.`;
    },
  }),
  command({
    name: 'relate',
    on: issueKinds,
    right: 'link',
    argument: 'items',
    wants: wantsItems,
    run: link('relate_issue_ids', (items, noun) => `Added ${items} as a linked item related to this ${noun}.`),
  }),
  command({
    name: 'unlink',
    on: issueKinds,
    right: 'link',
    argument: 'items',
    wants: wantsItems,
    run: link('unlink_issue_ids', (items) => `Removed linked item ${items}.`),
  }),
  command({
    name: 'blocks',
    on: issueKinds,
    right: 'link',
    argument: 'items',
    wants: wantsItems,
    run: link('blocks_issue_ids', (items, noun) => `Added ${items} as a linked item blocked by this ${noun}.`),
  }),
  command({
    name: 'blocked_by',
    on: issueKinds,
    right: 'link',
    argument: 'items',
    wants: wantsItems,
    run: link('blocked_by_issue_ids', (items, noun) => `Added ${items} as a linked item blocking this ${noun}.`),
  }),
  command({
    name: 'set_parent',
    aliases: ['epic', 'parent_epic'],
    // Not for tasks: the parent of a task would be an issue, and issues have no children in Hearth.
    on: ['issue', 'incident', 'epic'],
    right: 'link',
    argument: 'item',
    wants: (item) => ({ items: [item] }),
    run: setParent,
  }),
  command({
    name: 'remove_parent',
    aliases: ['remove_epic', 'remove_parent_epic'],
    on: [...issueKinds, 'epic'],
    right: 'link',
    argument: 'none',
    when: ({ subject }) => subject.hasParent === true,
    run: removeParent,
  }),
  command({
    name: 'add_child',
    aliases: ['child_epic'],
    on: [...issueKinds, 'epic'],
    right: 'link',
    argument: 'items',
    wants: wantsItems,
    run: children('add_child_ids', 'Child items added successfully.'),
  }),
  command({
    name: 'remove_child',
    aliases: ['remove_child_epic'],
    on: [...issueKinds, 'epic'],
    right: 'link',
    argument: 'items',
    wants: wantsItems,
    run: children('remove_child_ids', 'Child items removed successfully.'),
  }),
];
