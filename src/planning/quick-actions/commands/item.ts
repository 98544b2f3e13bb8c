import { type Command, command, issuableKinds, issueKinds, nounOf, plannableKinds } from '../command.ts';

const MAX_TITLE_LENGTH = 255;

/** Commands for the item itself, its subscriptions and to-do items. */
export const itemCommands: readonly Command[] = [
  command({
    name: 'close',
    on: plannableKinds,
    right: 'update',
    argument: 'none',
    when: ({ subject }) => subject.state === 'opened',
    run: (_, context, changes) => {
      changes.state_event = 'close';
      return `Closed this ${nounOf(context)}.`;
    },
  }),
  command({
    name: 'reopen',
    aliases: ['open'],
    on: plannableKinds,
    right: 'update',
    argument: 'none',
    when: ({ subject }) => subject.state === 'closed',
    run: (_, context, changes) => {
      changes.state_event = 'reopen';
      return `Reopened this ${nounOf(context)}.`;
    },
  }),
  command({
    name: 'title',
    on: plannableKinds,
    right: 'update',
    argument: 'text',
    run: (title, _, changes) => {
      if (title.length > MAX_TITLE_LENGTH) return { failure: 'Title is too long' };
      changes.title = title;
      return `Changed the title to "${title}".`;
    },
  }),
  command({
    name: 'lock',
    on: issuableKinds,
    right: 'admin',
    argument: 'none',
    when: ({ subject }) => !subject.discussionLocked,
    run: (_, __, changes) => {
      changes.discussion_locked = true;
      return 'Locked the discussion.';
    },
  }),
  command({
    name: 'unlock',
    on: issuableKinds,
    right: 'admin',
    argument: 'none',
    when: ({ subject }) => subject.discussionLocked === true,
    run: (_, __, changes) => {
      changes.discussion_locked = false;
      return 'Unlocked the discussion.';
    },
  }),
  command({
    name: 'confidential',
    on: [...issueKinds, 'epic'],
    right: 'set_metadata',
    argument: 'none',
    when: ({ subject }) => !subject.confidential,
    run: (_, context, changes) => {
      changes.confidential = true;
      return `Made this ${nounOf(context)} confidential.`;
    },
  }),
  command({
    name: 'todo',
    on: plannableKinds,
    right: 'read',
    argument: 'none',
    when: ({ subject }) => !subject.pendingTodo,
    run: (_, __, changes) => {
      changes.todo_event = 'add';
      return 'Added a to-do item.';
    },
  }),
  command({
    name: 'done',
    on: plannableKinds,
    right: 'read',
    argument: 'none',
    when: ({ subject }) => subject.pendingTodo === true,
    run: (_, __, changes) => {
      changes.todo_event = 'done';
      return 'Marked to-do item as done.';
    },
  }),
  command({
    name: 'subscribe',
    on: plannableKinds,
    right: 'read',
    argument: 'none',
    when: ({ subject }) => !subject.subscribed,
    run: (_, __, changes) => {
      changes.subscription_event = 'subscribe';
      return 'Subscribed to notifications.';
    },
  }),
  command({
    name: 'unsubscribe',
    on: plannableKinds,
    right: 'read',
    argument: 'none',
    when: ({ subject }) => subject.subscribed === true,
    run: (_, __, changes) => {
      changes.subscription_event = 'unsubscribe';
      return 'Unsubscribed from notifications.';
    },
  }),
  command({
    name: 'react',
    aliases: ['award'],
    on: plannableKinds,
    right: 'award',
    argument: 'emoji',
    run: (emoji, _, changes) => {
      changes.emoji_award = emoji;
      return `Toggled :${emoji}: emoji reaction.`;
    },
  }),
];
