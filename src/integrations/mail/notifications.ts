import { actorOnBehalfOf } from '../../access/actor.ts';
import { accountRefusal } from '../../access/credentials/account-state.ts';
import { findUser } from '../../access/credentials/identify.ts';
import {
  isProject,
  namespaceOf,
  type OwnerColumns,
  ownerColumnsOf,
  type ProjectOrGroup,
} from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import { settingsWithAncestors } from '../../access/stored-settings.ts';
import type { User } from '../../access/tables.ts';
import { mentionsIn, usersNamed } from '../../planning/markdown/public.ts';
import { membersMentioned } from '../../planning/mentions/public.ts';
import { commenterIds } from '../../planning/notes/public.ts';
import {
  effectiveSettings,
  isNotified,
  type NotificationEvent,
  watchersOf,
} from '../../planning/notification-settings/public.ts';
import type { Contributions } from '../../platform/domain-events.ts';
import type { Email } from '../../platform/mail/mail.ts';
import type { Job } from '../../platform/queue/queue.ts';
import { type Activity, type Comment, commentsOf } from './activity.ts';
import { allowsMail, groupAllowsMail } from './audience.ts';
import { namesPeople, sentenceOf } from './changes.ts';
import { composeEmail, messageId } from './compose.ts';
import { explicitSubscriptionsOf } from './store.ts';
import { namesOf, type Subject, subjectOf } from './subject.ts';
import { unsubscribeUrl } from './unsubscribe.ts';

declare module '../../platform/domain-events.ts' {
  interface Contributions {
    /** Returns the reply address for one recipient; undefined if incoming mail is disabled. */
    'mail.reply-addresses': (
      services: Services,
      message: {
        readonly userId: number;
        readonly type: Activity['type'];
        readonly id: number;
        /** The note that the e-mail is about, if any. */
        readonly noteId: number | null;
      },
    ) => Promise<string | undefined>;
  }
}

const events: Readonly<Record<string, NotificationEvent>> = {
  'Issue opened': 'new_issue',
  'Issue closed': 'close_issue',
  'Issue reopened': 'reopen_issue',
  'Issue assigned': 'reassign_issue',
  'Issue due': 'issue_due',
  'Epic opened': 'new_epic',
  'MergeRequest opened': 'new_merge_request',
  'MergeRequest closed': 'close_merge_request',
  'MergeRequest reopened': 'reopen_merge_request',
  'MergeRequest merged': 'merge_merge_request',
  'MergeRequest assigned': 'reassign_merge_request',
  'MergeRequest asked to review': 'change_reviewer_merge_request',
  'MergeRequest asked to review again': 'change_reviewer_merge_request',
  'MergeRequest set to merge': 'merge_when_pipeline_succeeds',
  'MergeRequest pushed': 'push_to_merge_request',
};

/** Maximum number of mentioned users who are notified by a text. */
const maxNamed = 100;

/** Returns the users mentioned in a text, directly or as members of a mentioned group. */
async function mentionedIn(services: Services, author: User, place: ProjectOrGroup, text: string): Promise<number[]> {
  const { names, all } = await mentionsIn(text);
  if (names.length === 0 && !all) return [];
  const { read } = services.db;
  const called = names.slice(0, maxNamed);
  const people = await usersNamed(
    read,
    called.map((name) => name.toLowerCase()),
  );
  const source = isProject(place) ? { project: place } : { group: place };
  const members = await membersMentioned(services, actorOnBehalfOf(author), source, { names: called, all });
  return [...people.map(({ id }) => id), ...members];
}

interface Recipient {
  readonly id: number;
  /** Their notification e-mail address, if it differs from the primary one. */
  readonly email: string | null;
}

const nobody: readonly number[] = [];

/** A due date and a conflict have no actor: the author is notified like everyone else. */
const withoutActor: ReadonlySet<string> = new Set(['due', 'in conflict']);

/**
 * Determines the recipients from how they participate and from their notification settings for the project, its groups
 * and globally.
 */
async function recipients(
  services: Services,
  activity: Activity,
  subject: Subject,
  { actor, place }: { readonly actor: User; readonly place: ProjectOrGroup },
  comments: readonly Comment[],
): Promise<Recipient[]> {
  const db = services.db.read;
  const { type, id, verb, actorId, ids = [], also = [], only, concerned, named: called } = activity;
  const chosen = await explicitSubscriptionsOf(db, type, id);
  const silent = new Set(chosen.filter(({ subscribed }) => subscribed === 0).map(({ user_id }) => user_id));
  const asked = chosen.filter(({ subscribed }) => subscribed === 1).map(({ user_id }) => user_id);
  const commentText = comments.map(({ body }) => body).join('\n\n');
  const text = verb === 'opened' ? (subject.description ?? '') : commentText;
  const owner = ownerColumnsOf(place);
  const around = await settingsWithAncestors(db, namespaceOf(place).id);
  const scope = { projectId: owner.project_id, namespaceIds: around.map((namespace) => namespace.id) };
  const [commenters, mentioned, watchers, approvers] = await Promise.all([
    commenterIds(db, activity, comments.length > 0 && comments.every(({ internal }) => internal)),
    called ?? mentionedIn(services, actor, place, text),
    watchersOf(db, owner),
    verb === 'opened' && subject.approvers ? subject.approvers() : nobody,
  ]);
  const participants = new Set(
    only ?? concerned ?? [...subject.involved, ...also, ...(namesPeople(verb) ? ids : []), ...asked, ...commenters],
  );
  const named = new Set(mentioned);
  const all = new Set(only ?? called ?? concerned ?? [...participants, ...named, ...watchers]);
  const except = withoutActor.has(verb) ? undefined : actorId;
  const choices = await effectiveSettings(
    db,
    [...all].filter((person) => person !== except && !silent.has(person)),
    scope,
  );
  const event = comments.length > 0 ? 'new_note' : events[`${type} ${verb}`];
  return [...choices].flatMap(([person, choice]) => {
    const participation = { participates: participants.has(person), mentioned: named.has(person) };
    // Subscribers of a label are notified regardless of their other settings.
    const hasHooks = only !== undefined || isNotified(choice, event, participation);
    const isApprover = approvers.includes(person) && isNotified(choice, 'approver', participation);
    return hasHooks || isApprover ? [{ id: person, email: choice.email }] : [];
  });
}

const longestPath = 500;

/** Phrases for activities with notes. */
const phrases: Readonly<Record<string, string>> = {
  reviewed: 'left review comments',
  mentioned: 'mentioned you in a comment',
};

/** Activities whose e-mail contains the whole text. */
const withText: ReadonlySet<string> = new Set(['opened', 'mentioned']);

/** A project and a group may have the same ID. */
const listName = ({ project_id, namespace_id }: OwnerColumns) => project_id ?? `group-${namespace_id}`;

const answerable = ' Reply to this email to add a comment.';

async function replyAddress(
  services: Services,
  message: Parameters<Contributions['mail.reply-addresses']>[1],
): Promise<string | undefined> {
  for (const addressOf of services.contributions('mail.reply-addresses')) {
    const address = await addressOf(services, message);
    if (address !== undefined) return address;
  }
  return undefined;
}

/** Enqueues the e-mails to all recipients who can read the object. */
export async function notify(services: Services, job: Job<Activity>): Promise<void> {
  const { db, externalUrl, queue } = services;
  const activity = job.payload;
  const subject = await subjectOf(services, activity);
  const actor = await findUser(db.read, activity.actorId);
  if (!subject || !actor) return;
  const place = await subject.placeFor(actorOnBehalfOf(actor));
  const isWanted = isProject(place)
    ? await allowsMail(db.read, place.project)
    : await groupAllowsMail(db.read, place.group.id);
  if (!isWanted) return;
  const comments = await commentsOf(services, activity);
  const told = await recipients(services, activity, subject, { actor, place }, comments);
  const owner = ownerColumnsOf(place);
  const { name, path, home } = namesOf(place);
  const named = `${name} | ${subject.title} (${subject.reference})`;
  const thread = messageId(externalUrl, activity.type, activity.id);
  const happened = await sentenceOf(db.read, activity, actor.name, subject.reference);
  const messages: Email[] = [];
  for (const { id, email } of told) {
    const user = await findUser(db.read, id);
    if (user?.kind !== 'human' || user.confirmed_at === null || accountRefusal(user, externalUrl) !== undefined)
      continue;
    const seen = await subject.readableBy(user);
    if (!seen) continue;
    const shown = comments.filter(({ internal }) => !internal || seen.can('read_internal_note'));
    if (comments.length > 0 && shown.length === 0) continue;
    const { verb, key } = activity;
    const [first] = shown;
    const noteId = first && shown.length === 1 ? first.id : null;
    const answered = { userId: user.id, type: activity.type, id: activity.id, noteId };
    const replyTo = seen.can('create_note') ? await replyAddress(services, answered) : undefined;
    const did = phrases[verb] ?? 'commented';
    messages.push(
      composeEmail({
        to: email ?? user.email,
        subject: `${verb === 'opened' ? '' : 'Re: '}${named}`,
        says: first
          ? [`${actor.name} ${did}:`, ...shown.map(({ body }) => body)]
          : [happened, ...(withText.has(verb) ? [subject.description ?? ''] : [])],
        link: {
          text: 'Read it there',
          url: `${externalUrl}/${home}/-/${subject.page}${first ? `#note_${first.id}` : ''}`,
        },
        reason: `You get this because you participate in it or are subscribed to it.${replyTo === undefined ? '' : answerable}`,
        id: messageId(externalUrl, activity.type, activity.id, key, user.id),
        thread,
        ...(replyTo === undefined ? {} : { replyTo }),
        unsubscribe: unsubscribeUrl(services, {
          userId: user.id,
          type: activity.type,
          id: activity.id,
          projectId: owner.project_id,
          namespaceId: owner.namespace_id,
          named,
        }),
        // A path has no whitespace to fold the header line at.
        headers: {
          'List-Id': `${path.slice(-longestPath)} <${listName(owner)}.${new URL(externalUrl).hostname}>`,
        },
      }),
    );
  }
  await db.write(async (trx) => {
    for (const message of messages) await queue.enqueue(trx, 'mail.send', message);
    await job.finish(trx);
  });
}
