import type { SignedInActor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { GroupSubject } from '../../access/subjects.ts';
import type { Reader, Writer } from '../../platform/database/database.ts';
import { awards } from '../award-emoji/public.ts';
import { labelsById, titlesById } from '../labels/public.ts';
import {
  type Changes,
  type CommandPermission,
  type CommandTarget,
  type Context,
  type LookupRequest,
  lookUpInGroup,
} from '../quick-actions/public.ts';
import { setSubscription } from '../subscriptions/public.ts';
import { addTodo, finishTodos, hasPendingTodo } from '../todos/public.ts';
import { addChild, removeFromParent } from './parent.ts';
import type { EpicChangeParams } from './schema.ts';
import { isSubscribed, targetOf } from './service.ts';
import { labelIds } from './store.ts';
import type { EpicRow } from './tables.ts';
import { changeEpic } from './write.ts';

/** Quick actions that epics support; other known commands have no effect on epics. */
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
  'set_parent',
  'remove_parent',
  'add_child',
  'remove_child',
]);

/** The subset of quick actions that apply to a new epic. */
const newEpicCommands: ReadonlySet<string> = new Set(['confidential', 'label', 'relabel', 'set_parent']);

function rightsIn(subject: GroupSubject): (right: CommandPermission) => boolean {
  const plans = subject.can('admin_epic');
  const comments = subject.can('create_note');
  const rights: Partial<Record<CommandPermission, boolean>> = {
    read: true,
    comment: comments,
    award: comments,
    update: plans,
    set_metadata: plans,
    admin: plans,
    link: subject.can('admin_epic_relation'),
  };
  return (right) => rights[right] ?? false;
}

async function contextOfNew(
  services: Services,
  writer: SignedInActor,
  subject: GroupSubject,
  wanted: Required<LookupRequest>,
): Promise<Context> {
  const { id, username } = writer.user;
  const now = new Date();
  return {
    writer: { id, username },
    now,
    today: now.toISOString().slice(0, 10),
    hoursOnly: services.settings.latest().time_tracking_limit_to_hours,
    subject: { kind: 'epic', state: 'opened' },
    can: rightsIn(subject),
    found: await lookUpInGroup(services, writer, subject, wanted),
  };
}

async function contextOf(
  services: Services,
  writer: SignedInActor,
  subject: GroupSubject,
  epic: EpicRow,
  wanted: Required<LookupRequest>,
): Promise<Context> {
  const { read } = services.db;
  const { id } = writer.user;
  const target = targetOf(epic);
  const [context, ids, subscribed, pendingTodo] = await Promise.all([
    contextOfNew(services, writer, subject, wanted),
    labelIds(read, [epic.id]),
    isSubscribed(read, id, epic),
    hasPendingTodo(read, id, target),
  ]);
  return {
    ...context,
    subject: {
      kind: 'epic',
      state: epic.state,
      labels: await labelsById(read, ids.get(epic.id) ?? []),
      confidential: epic.confidential === 1,
      hasParent: epic.parent_id !== null,
      subscribed,
      pendingTodo,
    },
  };
}

/** Converts the result of quick actions to the attributes of an API update. */
export async function epicChangeFromCommands(db: Reader, changes: Changes): Promise<EpicChangeParams> {
  return {
    ...(changes.state_event && { state_event: changes.state_event }),
    ...(changes.title !== undefined && { title: changes.title }),
    ...(changes.confidential !== undefined && { confidential: changes.confidential }),
    ...(changes.parent_id !== undefined && { parent_id: changes.parent_id }),
    ...(changes.label_ids && { labels: await titlesById(db, changes.label_ids) }),
    ...(changes.add_label_ids && { add_labels: await titlesById(db, changes.add_label_ids) }),
    ...(changes.remove_label_ids && { remove_labels: await titlesById(db, changes.remove_label_ids) }),
  };
}

/** Executes the quick actions of a text on an epic, in the transaction that stores the text. */
async function executeCommands(
  services: Services,
  trx: Writer,
  writer: SignedInActor,
  subject: GroupSubject,
  epic: EpicRow,
  changes: Changes,
): Promise<void> {
  const change = await epicChangeFromCommands(trx, changes);
  if (Object.keys(change).length > 0) await changeEpic(services, trx, writer, subject, epic.id, change);
  await executeSideEffects(services, trx, writer, epic, changes);
}

/** Executes the quick actions that do not change the epic row itself. */
export async function executeSideEffects(
  services: Services,
  trx: Writer,
  writer: SignedInActor,
  epic: EpicRow,
  { todo_event, subscription_event, emoji_award, add_child_ids = [], remove_child_ids = [] }: Changes,
): Promise<void> {
  for (const id of add_child_ids) await addChild(trx, writer, epic, id);
  for (const id of remove_child_ids) await removeFromParent(trx, epic, id);
  const target = targetOf(epic);
  const { id: userId } = writer.user;
  if (subscription_event) await setSubscription(trx, userId, target, subscription_event === 'subscribe');
  if (emoji_award) {
    await awards.toggleAward(services, trx, userId, { target, about: target, mayAward: true }, emoji_award);
  }
  if (todo_event === 'add') await addTodo(trx, { userId, authorId: userId, target, action: 'marked' });
  if (todo_event === 'done') await finishTodos(trx, userId, target);
}

/** An epic as the target of quick actions. */
export function commandableEpic(
  services: Services,
  writer: SignedInActor,
  subject: GroupSubject,
  epic: EpicRow,
): CommandTarget {
  return {
    supported: epicCommands,
    context: (wanted) => contextOf(services, writer, subject, epic, wanted),
    executeCommands: (trx, changes) => executeCommands(services, trx, writer, subject, epic, changes),
  };
}

/** A new epic as the target of the quick actions in its description. */
export function commandableNew(
  services: Services,
  writer: SignedInActor,
  subject: GroupSubject,
): Pick<CommandTarget, 'supported' | 'context'> {
  return {
    supported: newEpicCommands,
    context: (wanted) => contextOfNew(services, writer, subject, wanted),
  };
}
