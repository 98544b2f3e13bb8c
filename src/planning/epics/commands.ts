import { type Actor, isSignedIn, type SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { GroupSubject } from '../../access/subjects.ts';
import type { Writer } from '../../platform/database/database.ts';
import { awards } from '../award-emoji/public.ts';
import { findLabels, labelsById } from '../labels/public.ts';
import { type Changes, type CommandTarget, type Context, nothingFound, type Right } from '../quick-actions/public.ts';
import { setSubscription, subscriptionOf } from '../subscriptions/public.ts';
import { addTodo, finishTodos, hasPendingTodo } from '../todos/public.ts';
import type { EpicChangeParams } from './schema.ts';
import { targetOf } from './service.ts';
import { labelIds } from './store.ts';
import type { EpicRow } from './tables.ts';
import { changeEpic } from './write.ts';

/** What epics carry out of the commands; the others are known and change nothing. */
const epicCommands: ReadonlySet<string> = new Set([
  'close',
  'reopen',
  'title',
  'confidential',
  'label',
  'unlabel',
  'relabel',
  'todo',
  'done',
  'subscribe',
  'unsubscribe',
  'react',
]);

function rightsIn(subject: GroupSubject): (right: Right) => boolean {
  const plans = subject.can('admin_epic');
  const comments = subject.can('create_note');
  const rights: Partial<Record<Right, boolean>> = {
    read: true,
    comment: comments,
    award: comments,
    update: plans,
    set_metadata: plans,
    admin: plans,
  };
  return (right) => rights[right] ?? false;
}

async function contextOf(
  { db: { read } }: Services,
  { user }: SignedInActor,
  subject: GroupSubject,
  epic: EpicRow,
  titles: readonly string[],
): Promise<Context> {
  const target = targetOf(epic);
  const [ids, labels, said, pendingTodo] = await Promise.all([
    labelIds(read, [epic.id]),
    findLabels(read, subject, titles),
    subscriptionOf(read, user.id, target),
    hasPendingTodo(read, user.id, target),
  ]);
  const now = new Date();
  return {
    writer: { id: user.id, username: user.username },
    now,
    today: now.toISOString().slice(0, 10),
    subject: {
      kind: 'epic',
      state: epic.state,
      labels: await labelsById(read, ids.get(epic.id) ?? []),
      confidential: epic.confidential === 1,
      subscribed: said ?? epic.author_id === user.id,
      pendingTodo,
    },
    can: rightsIn(subject),
    found: { ...nothingFound, label: (name) => labels.get(name) },
  };
}

/** Carries out what commands change of an epic, in the transaction in which their text is written. */
async function carryOut(
  services: Services,
  trx: Writer,
  writer: SignedInActor,
  subject: GroupSubject,
  epic: EpicRow,
  changes: Changes,
): Promise<void> {
  const titles = async (ids: readonly number[]) => (await labelsById(trx, ids)).map(({ title }) => title);
  const change: EpicChangeParams = {
    ...(changes.state_event && { state_event: changes.state_event }),
    ...(changes.title !== undefined && { title: changes.title }),
    ...(changes.confidential !== undefined && { confidential: changes.confidential }),
    ...(changes.label_ids && { labels: await titles(changes.label_ids) }),
    ...(changes.add_label_ids && { add_labels: await titles(changes.add_label_ids) }),
    ...(changes.remove_label_ids && { remove_labels: await titles(changes.remove_label_ids) }),
  };
  if (Object.keys(change).length > 0) await changeEpic(services, trx, writer, subject, epic.id, change);
  const { todo_event, subscription_event, emoji_award } = changes;
  const target = targetOf(epic);
  const { id: userId } = writer.user;
  if (subscription_event) await setSubscription(trx, userId, target, subscription_event === 'subscribe');
  if (emoji_award) {
    await awards.toggleAward(services, trx, userId, { target, about: target, mayAward: true }, emoji_award);
  }
  if (todo_event === 'add') await addTodo(trx, { userId, authorId: userId, target, action: 'marked' });
  if (todo_event === 'done') await finishTodos(trx, userId, target);
}

/** An epic that commands are given to, where whoever comments is somebody. */
export function commandsOn(
  services: Services,
  caller: Actor,
  subject: GroupSubject,
  epic: EpicRow,
): { readonly commands?: CommandTarget } {
  if (!isSignedIn(caller)) return {};
  return {
    commands: {
      carriesOut: epicCommands,
      context: ({ labels }) => contextOf(services, caller, subject, epic, labels),
      carryOut: (trx, changes) => carryOut(services, trx, caller, subject, epic, changes),
    },
  };
}
