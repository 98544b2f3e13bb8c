import { hash } from 'node:crypto';
import { requestsById } from '../../../review/merge-requests/public.ts';
import { addImportedNote, importedTime, type Noteable, noteOnLine } from '../../content/public.ts';
import type { ImportRun } from '../../project-imports/public.ts';
import { hostbPages } from '../api.ts';
import { type HostbComment, lists } from '../records.ts';
import { contextOf, type HostbContext } from './context.ts';

/** The target of a comment, with the commits its lines refer to. */
interface Commented {
  readonly target: Noteable;
  readonly base: string | null;
  readonly head: string | null;
}

export async function importPullNotes(run: ImportRun): Promise<void> {
  const context = await contextOf(run);
  for await (const { sourceId, targetId } of run.imported('pull_request', 'requests')) {
    const target: Noteable = { type: 'MergeRequest', id: targetId };
    const request = (await requestsById(run.services.db.read, [targetId])).get(targetId);
    const on = { target, base: request?.base_sha ?? null, head: request?.head_sha ?? null };
    const first = `${context.place}/pullrequests/${sourceId}/comments?sort=created_on&pagelen=50`;
    const known = new Map<number, HostbComment>();
    const list = { ...lists.comments, within: `${target.type}/` };
    for await (const comments of hostbPages(run, context.client, list, first)) {
      for (const comment of comments) {
        known.set(comment.id, comment);
        if (comment.deleted !== true) await importNote(run, context, on, comment, known);
      }
    }
  }
}

export async function importIssueNotes(run: ImportRun): Promise<void> {
  const context = await contextOf(run);
  for await (const { sourceId, targetId } of run.imported('issue', 'issues')) {
    const target: Noteable = { type: 'Issue', id: targetId };
    const first = `${context.place}/issues/${sourceId}/comments?sort=created_on&pagelen=50`;
    const list = { ...lists.comments, within: `${target.type}/` };
    for await (const comments of hostbPages(run, context.client, list, first)) {
      // State changes are returned as comments without text.
      const withText = comments.filter(({ content }) => (content?.raw ?? '') !== '');
      for (const comment of withText)
        await importNote(run, context, { target, base: null, head: null }, comment, new Map());
    }
  }
}

async function importNote(
  run: ImportRun,
  { idOf, text }: HostbContext,
  { target, base, head }: Commented,
  comment: HostbComment,
  known: ReadonlyMap<number, HostbComment>,
): Promise<void> {
  const authorId = await idOf(comment.user);
  const body = await text(comment.content?.raw, comment.user);
  const first = threadStart(comment, known);
  const { inline } = first;
  const discussionId = hash('sha1', `${run.project.id} ${run.type} ${first.id}`, 'hex');
  const place = inline && { path: inline.path, oldLine: inline.from ?? null, newLine: inline.to ?? null, base, head };
  const inThread = place ? { discussionId, ...noteOnLine(place, body) } : { body };
  await run.once('note', `${target.type}/${comment.id}`, async (trx) => {
    const createdAt = importedTime(comment.created_on);
    const updatedAt = importedTime(comment.updated_on ?? comment.created_on);
    return (await addImportedNote(run, trx, target, { authorId, createdAt, updatedAt, ...inThread })).id;
  });
}

function threadStart(comment: HostbComment, known: ReadonlyMap<number, HostbComment>): HostbComment {
  let first = comment;
  for (let steps = 0; steps < 100; steps++) {
    const parent = first.parent && known.get(first.parent.id);
    if (!parent) break;
    first = parent;
  }
  return first;
}
