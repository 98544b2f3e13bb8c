import { actingFor } from '../../access/actor.ts';
import { unusable } from '../../access/credentials/account-state.ts';
import { findUser } from '../../access/credentials/identify.ts';
import type { Services } from '../../access/services.ts';
import { settingsAbove } from '../../access/stored-settings.ts';
import { lookUpProject, type ProjectSubject, projectSubject } from '../../access/subjects.ts';
import type { Project, User } from '../../access/tables.ts';
import { shownTitle } from '../../code/commits/public.ts';
import { notedCommits } from '../../planning/commit-notes/public.ts';
import { issuesById, mayReadIssue, stateOf } from '../../planning/issues/public.ts';
import { mentionsIn, usersNamed } from '../../planning/markdown/public.ts';
import { membersMentioned } from '../../planning/mentions/public.ts';
import { commenterIds, findNotes } from '../../planning/notes/public.ts';
import { choicesOf, isTold, type NotificationEvent, watchersOf } from '../../planning/notification-settings/public.ts';
import { findSnippet, mayReadInProject } from '../../planning/snippets/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { Letter } from '../../platform/mail/mail.ts';
import type { Contributions, Occurrences } from '../../platform/occurrences.ts';
import type { Job } from '../../platform/queue/queue.ts';
import { requestsById, stateOfRequest } from '../../review/merge-requests/public.ts';
import { mayBeHeard, wantsMail } from './hearing.ts';
import { letterId, writeLetter } from './letter.ts';
import { ownersOf, saidSubscriptions } from './store.ts';
import { unsubscribeUrl } from './unsubscribe.ts';

/** Something that happened to an issue, a merge request, a commit or a snippet. */
interface Happening {
  readonly type: 'Issue' | 'MergeRequest' | 'Commit' | 'Snippet';
  readonly id: number;
  readonly actorId: number;
  /** `opened`, `closed`, `reopened`, `merged`, `commented`, or `reviewed`. */
  readonly verb: string;
  /** Tells one happening from another of the same kind. */
  readonly key: string;
  readonly note?: Comment;
  /** The comments of a review, which make one letter. */
  readonly noteIds?: readonly number[];
}

interface Comment {
  readonly id: number;
  readonly body: string;
  readonly internal: boolean;
}

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    'mail.notify': Happening;
  }
}

declare module '../../platform/occurrences.ts' {
  interface Contributions {
    /** Where an answer to a letter goes, of the one whom it is sent to alone; undefined where no mail is taken. */
    'mail.reply-addresses': (
      services: Services,
      letter: {
        readonly userId: number;
        readonly type: Happening['type'];
        readonly id: number;
        /** The comment that it tells of, if it tells of one. */
        readonly noteId: number | null;
      },
    ) => Promise<string | undefined>;
  }
}

const verbs: Readonly<Record<string, string>> = {
  open: 'opened',
  close: 'closed',
  reopen: 'reopened',
  merge: 'merged',
};

export async function onIssue({ queue }: Services, trx: Writer, change: Occurrences['issue.changed']): Promise<void> {
  const verb = verbs[change.action];
  const { issue, assigneeIds } = change.after;
  const { id, updated_at, author_id } = issue;
  if (!verb) return;
  const text = verb === 'opened' ? issue.description : null;
  const involved = [author_id, ...assigneeIds];
  if (!(await mayBeHeard(trx, change.actorId, { type: 'Issue', item: issue, involved, text }))) return;
  await queue.enqueue(trx, 'mail.notify', {
    type: 'Issue',
    id,
    actorId: change.actorId,
    verb,
    key: `${verb}-${updated_at}`,
  });
}

export async function onRequest(
  { queue }: Services,
  trx: Writer,
  change: Occurrences['merge-request.changed'],
): Promise<void> {
  const verb = verbs[change.action];
  const { request, assigneeIds, reviewerIds } = change.after;
  const { id, updated_at, author_id } = request;
  if (!verb) return;
  const text = verb === 'opened' ? request.description : null;
  const involved = [author_id, ...assigneeIds, ...reviewerIds];
  if (!(await mayBeHeard(trx, change.actorId, { type: 'MergeRequest', item: request, involved, text }))) return;
  const key = `${verb}-${updated_at}`;
  await queue.enqueue(trx, 'mail.notify', { type: 'MergeRequest', id, actorId: change.actorId, verb, key });
}

export async function onNote({ queue }: Services, trx: Writer, change: Occurrences['note.changed']): Promise<void> {
  const { action, note, actorId } = change;
  const type = note.noteable_type;
  if (action !== 'create' || note.system === 1 || note.noteable_id === null || change.noteable.inReview) return;
  if (type !== 'Issue' && type !== 'MergeRequest' && type !== 'Commit' && type !== 'Snippet') return;
  const told = { id: note.id, body: note.body, internal: note.internal === 1 };
  const happening = {
    type,
    id: note.noteable_id,
    actorId,
    verb: 'commented',
    key: `note-${note.id}`,
    note: told,
  } as const;
  await queue.enqueue(trx, 'mail.notify', happening);
}

/** The comments of one review come within a moment of each other. */
const reviewMs = 1000;

export async function onReview(
  { queue }: Services,
  trx: Writer,
  { requestId, actorId, review, noteIds }: Occurrences['merge-request.reviewed'],
): Promise<void> {
  const key = `review-${review}`;
  const happening = { type: 'MergeRequest', id: requestId, actorId, verb: 'reviewed', key, noteIds } as const;
  await queue.enqueue(trx, 'mail.notify', happening, { dedupeKey: key, runAt: Date.now() + reviewMs });
}

/** What people said, if that is what happened. */
async function commentsOf({ db }: Services, { note, noteIds = [] }: Happening): Promise<readonly Comment[]> {
  if (note) return [note];
  const found = noteIds.length === 0 ? [] : await findNotes(db.read, noteIds);
  const byId = new Map(found.map((row) => [row.id, { id: row.id, body: row.body, internal: row.internal === 1 }]));
  return noteIds.flatMap((id) => byId.get(id) ?? []);
}

/** What it is about, and who takes part in it. */
interface Subject {
  readonly project: Project;
  readonly title: string;
  readonly reference: string;
  readonly page: string;
  readonly description: string | null;
  readonly involved: readonly number[];
  readonly readableBy: (user: User, project: ProjectSubject) => boolean;
}

/** A commit that somebody spoke of; its author takes part in it, by an address that is known to be theirs. */
async function commitSubject({ db, git }: Services, id: number): Promise<Subject | undefined> {
  const [noted] = await notedCommits(db.read, [id]);
  const found = noted && (await lookUpProject(db.read, `${noted.project_id}`));
  const commit = found && (await git.objects(git.repository(noted.project_id)).commit(noted.sha));
  if (!commit) return undefined;
  return {
    project: found.project,
    title: shownTitle(commit),
    reference: commit.oid.slice(0, 8),
    page: `commit/${commit.oid}`,
    description: null,
    involved: await ownersOf(db.read, commit.author.email),
    readableBy: (_, project) => project.can('read_project') && project.can('read_code'),
  };
}

/** A snippet of a project; nothing is said on personal ones. */
async function snippetSubject({ db }: Services, id: number): Promise<Subject | undefined> {
  const snippet = await findSnippet(db.read, id);
  const found = snippet?.project_id ? await lookUpProject(db.read, `${snippet.project_id}`) : undefined;
  if (!snippet || !found) return undefined;
  return {
    project: found.project,
    title: snippet.title,
    reference: `$${snippet.id}`,
    page: `snippets/${snippet.id}`,
    description: null,
    involved: [snippet.author_id],
    readableBy: (user, project) => project.can('read_project') && mayReadInProject(actingFor(user), project, snippet),
  };
}

async function subjectOf(services: Services, { type, id }: Happening): Promise<Subject | undefined> {
  if (type === 'Commit') return commitSubject(services, id);
  if (type === 'Snippet') return snippetSubject(services, id);
  const db = services.db.read;
  if (type === 'Issue') {
    const issue = (await issuesById(db, [id])).get(id);
    const found = issue && (await lookUpProject(db, `${issue.project_id}`));
    if (!found) return undefined;
    const { assigneeIds } = await stateOf(db, issue);
    return {
      project: found.project,
      title: issue.title,
      reference: `#${issue.iid}`,
      page: `issues/${issue.iid}`,
      description: issue.description,
      involved: [issue.author_id, ...assigneeIds],
      readableBy: (user, project) => mayReadIssue(actingFor(user), project, issue, assigneeIds),
    };
  }
  const request = (await requestsById(db, [id])).get(id);
  const found = request && (await lookUpProject(db, `${request.project_id}`));
  if (!found) return undefined;
  const { assigneeIds, reviewerIds } = await stateOfRequest(db, request);
  return {
    project: found.project,
    title: request.title,
    reference: `!${request.iid}`,
    page: `merge_requests/${request.iid}`,
    description: request.description,
    involved: [request.author_id, ...assigneeIds, ...reviewerIds],
    readableBy: (_, project) => project.can('read_merge_request'),
  };
}

const events: Readonly<Record<string, NotificationEvent>> = {
  'Issue opened': 'new_issue',
  'Issue closed': 'close_issue',
  'Issue reopened': 'reopen_issue',
  'MergeRequest opened': 'new_merge_request',
  'MergeRequest closed': 'close_merge_request',
  'MergeRequest reopened': 'reopen_merge_request',
  'MergeRequest merged': 'merge_merge_request',
};

/** People whose names stand in a text; of more than so many nobody is told by that. */
const mostNamed = 100;

/** Who is called in a text: people, and the members of groups. */
async function mentionedIn(services: Services, author: User, project: Project, text: string): Promise<number[]> {
  const { names, all } = await mentionsIn(text);
  if (names.length === 0 && !all) return [];
  const { read } = services.db;
  const called = names.slice(0, mostNamed);
  const people = await usersNamed(
    read,
    called.map((name) => name.toLowerCase()),
  );
  const actor = actingFor(author);
  const place = await projectSubject(read, actor, project);
  const members = await membersMentioned(services, actor, { project: place }, { names: called, all });
  return [...people.map(({ id }) => id), ...members];
}

interface Recipient {
  readonly id: number;
  /** Where they want to be told, if not at their own address. */
  readonly email: string | null;
}

/** Who is told: by how they stand to it, and by what they chose for this project, its groups, or everywhere. */
async function recipients(
  services: Services,
  happening: Happening,
  subject: Subject,
  actor: User,
  comments: readonly Comment[],
): Promise<Recipient[]> {
  const db = services.db.read;
  const { type, id, verb, actorId } = happening;
  const { project, involved } = subject;
  const chosen = await saidSubscriptions(db, type, id);
  const silent = new Set(chosen.filter(({ subscribed }) => subscribed === 0).map(({ user_id }) => user_id));
  const asked = chosen.filter(({ subscribed }) => subscribed === 1).map(({ user_id }) => user_id);
  const said = comments.map(({ body }) => body).join('\n\n');
  const text = verb === 'opened' ? (subject.description ?? '') : said;
  const around = await settingsAbove(db, project.namespace_id);
  const place = { projectId: project.id, namespaceIds: around.map((namespace) => namespace.id) };
  const [commenters, mentioned, watchers] = await Promise.all([
    commenterIds(db, happening, comments.length > 0 && comments.every(({ internal }) => internal)),
    mentionedIn(services, actor, project, text),
    watchersOf(db, place.projectId),
  ]);
  const participants = new Set([...involved, ...asked, ...commenters]);
  const named = new Set(mentioned);
  const all = new Set([...participants, ...named, ...watchers]);
  const choices = await choicesOf(
    db,
    [...all].filter((person) => person !== actorId && !silent.has(person)),
    place,
  );
  const event = events[`${type} ${verb}`] ?? 'new_note';
  return [...choices].flatMap(([person, choice]) => {
    const standing = { participates: participants.has(person), mentioned: named.has(person) };
    return isTold(choice, event, standing) ? [{ id: person, email: choice.email }] : [];
  });
}

const longestPath = 500;
const answerable = ' An answer to this letter becomes a comment.';

async function replyAddress(
  services: Services,
  letter: Parameters<Contributions['mail.reply-addresses']>[1],
): Promise<string | undefined> {
  for (const addressOf of services.contributed('mail.reply-addresses')) {
    const address = await addressOf(services, letter);
    if (address !== undefined) return address;
  }
  return undefined;
}

/** Writes to everybody who hears of it and may read it. */
export async function notify(services: Services, job: Job<Happening>): Promise<void> {
  const { db, externalUrl, queue } = services;
  const happening = job.payload;
  const subject = await subjectOf(services, happening);
  const actor = await findUser(db.read, happening.actorId);
  if (!subject || !actor || !(await wantsMail(db.read, subject.project))) return;
  const comments = await commentsOf(services, happening);
  const told = await recipients(services, happening, subject, actor, comments);
  const thread = letterId(externalUrl, happening.type, happening.id);
  const letters: Letter[] = [];
  for (const { id, email } of told) {
    const user = await findUser(db.read, id);
    if (user?.kind !== 'human' || user.confirmed_at === null || unusable(user, externalUrl) !== undefined) continue;
    const seen = await projectSubject(db.read, actingFor(user), subject.project);
    const shown = comments.filter(({ internal }) => !internal || seen.can('read_internal_note'));
    if ((comments.length > 0 && shown.length === 0) || !subject.readableBy(user, seen)) continue;
    const { verb, key } = happening;
    const [first] = shown;
    const noteId = first && shown.length === 1 ? first.id : null;
    const answered = { userId: user.id, type: happening.type, id: happening.id, noteId };
    const replyTo = seen.can('create_note') ? await replyAddress(services, answered) : undefined;
    const did = verb === 'reviewed' ? 'left review comments' : 'commented';
    letters.push(
      writeLetter({
        to: email ?? user.email,
        subject: `${verb === 'opened' ? '' : 'Re: '}${subject.project.name} | ${subject.title} (${subject.reference})`,
        says: first
          ? [`${actor.name} ${did}:`, ...shown.map(({ body }) => body)]
          : [`${actor.name} ${verb} ${subject.reference}.`, ...(verb === 'opened' ? [subject.description ?? ''] : [])],
        link: {
          text: 'Read it there',
          url: `${externalUrl}/${seen.fullPath}/-/${subject.page}${first ? `#note_${first.id}` : ''}`,
        },
        reason: `You get this because you take part in it, or asked to hear of it.${replyTo === undefined ? '' : answerable}`,
        id: letterId(externalUrl, happening.type, happening.id, key, user.id),
        thread,
        ...(replyTo === undefined ? {} : { replyTo }),
        unsubscribe: unsubscribeUrl(services, {
          userId: user.id,
          type: happening.type,
          id: happening.id,
          projectId: subject.project.id,
          named: `${subject.project.name} | ${subject.title} (${subject.reference})`,
        }),
        // A path has nothing that a line could be broken at.
        headers: {
          'List-Id': `${seen.fullPath.slice(-longestPath)} <${subject.project.id}.${new URL(externalUrl).hostname}>`,
        },
      }),
    );
  }
  await db.write(async (trx) => {
    for (const letter of letters) await queue.enqueue(trx, 'mail.send', letter);
    await job.finish(trx);
  });
}
