import { type Command, type Context, command, issuableKinds, issueKinds, plannableKinds } from '../command.ts';
import type { Titled } from '../findings.ts';

const wantsLabels = (labels: readonly string[] | null) => ({ labels: labels ?? [] });
const find = (names: readonly string[], { found }: Context) => [
  ...new Map(names.flatMap((name) => found.label(name) ?? []).map((label) => [label.id, label])).values(),
];
const ids = (labels: readonly Titled[]) => labels.map(({ id }) => id);
const listLabels = (labels: readonly Titled[]) =>
  `${labels.map(({ title }) => `~"${title}"`).join(' ')} ${labels.length === 1 ? 'label' : 'labels'}`;
const joined = (before: readonly number[] | undefined, added: readonly number[]) => [
  ...new Set([...(before ?? []), ...added]),
];

/** Commands for labels, including `/copy_metadata`, which copies the milestone too. */
export const labelCommands: readonly Command[] = [
  command({
    name: 'label',
    aliases: ['labels'],
    on: plannableKinds,
    right: 'set_metadata',
    argument: 'labels',
    wants: wantsLabels,
    run: (names, context, changes) => {
      const labels = find(names, context);
      if (labels.length === 0) return undefined;
      changes.add_label_ids = joined(changes.add_label_ids, ids(labels));
      return `Added ${listLabels(labels)}.`;
    },
  }),
  command({
    name: 'unlabel',
    aliases: ['remove_label'],
    on: plannableKinds,
    right: 'set_metadata',
    argument: 'maybeLabels',
    when: ({ subject }) => (subject.labels ?? []).length > 0,
    wants: wantsLabels,
    run: (names, context, changes) => {
      if (names === null) {
        changes.label_ids = [];
        return 'Removed all labels.';
      }
      const labels = find(names, context);
      if (labels.length === 0) return undefined;
      changes.remove_label_ids = joined(changes.remove_label_ids, ids(labels));
      return `Removed ${listLabels(labels)}.`;
    },
  }),
  command({
    name: 'relabel',
    on: plannableKinds,
    right: 'set_metadata',
    argument: 'labels',
    wants: wantsLabels,
    run: (names, context, changes) => {
      const labels = find(names, context);
      if (labels.length === 0) return undefined;
      changes.label_ids = joined(changes.label_ids, ids(labels));
      return `Replaced all labels with ${listLabels(labels)}.`;
    },
  }),
  command({
    name: 'copy_metadata',
    on: issuableKinds,
    right: 'set_metadata',
    argument: 'item',
    wants: (item) => ({ items: [item] }),
    run: (reference, { found }, changes) => {
      const source = found.item(reference);
      if (source === undefined || source.kind === 'epic') return undefined;
      changes.add_label_ids = joined(changes.add_label_ids, ids(source.labels ?? []));
      if (source.milestone) changes.milestone_id = source.milestone.id;
      return `Copied labels and milestone from ${source.reference}.`;
    },
  }),
  command({
    name: 'board_move',
    on: issueKinds,
    right: 'set_metadata',
    argument: 'labels',
    wants: wantsLabels,
    when: ({ subject }) => subject.boardColumns !== undefined,
    run: (names, context, changes) => {
      const [label, ...more] = find(names, context);
      if (label === undefined || more.length > 0 || !context.subject.boardColumns?.includes(label.id)) return undefined;
      changes.board_move = label.id;
      return `Moved issue to ~"${label.title}" column in the board.`;
    },
  }),
];
