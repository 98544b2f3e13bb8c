import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { discussions, type Noteable, notes } from '../../../planning/notes/public.ts';
import { BadRequest, Forbidden, HttpError, Invalid, NotFound } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { checkPosition } from '../discussions/position.ts';
import { readPosition } from '../discussions/stored-position.ts';
import { noteableRequest } from '../noteable.ts';
import { requireRequest } from '../service.ts';
import { setReviewState } from '../store.ts';
import type { MergeRequestRow } from '../tables.ts';
import type { DraftChangeParams, DraftNoteEntity, NewDraftParams } from './schema.ts';
import * as store from './store.ts';
import type { DraftNoteRow } from './tables.ts';

const nowhere = {
  base_sha: null,
  start_sha: null,
  head_sha: null,
  old_path: null,
  new_path: null,
  position_type: 'text',
  old_line: null,
  new_line: null,
  line_range: null,
};

function present(row: DraftNoteRow): DraftNoteEntity {
  return {
    id: row.id,
    author_id: row.author_id,
    merge_request_id: row.merge_request_id,
    resolve_discussion: row.resolve_discussion === 1,
    discussion_id: row.discussion_id,
    note: row.note,
    commit_id: row.commit_id,
    line_code: row.line_code,
    position: row.position === null ? nowhere : readPosition(row.position),
  };
}

/** Returns a merge request that the caller may read; without read access there are no drafts either. */
export async function requireReadable(
  services: Services,
  subject: ProjectSubject,
  iid: number,
): Promise<MergeRequestRow> {
  if (!subject.can('read_merge_request')) throw NotFound.record();
  return (await requireRequest(services, subject, iid)).request;
}

export async function requireDraft(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  { merge_request_iid: iid, draft_note_id: id }: { merge_request_iid: number; draft_note_id: number },
): Promise<{ request: MergeRequestRow; draft: DraftNoteRow }> {
  const request = await requireReadable(services, subject, iid);
  const draft = await store.findDraft(services.db.read, id);
  if (draft?.merge_request_id !== request.id || draft.author_id !== caller.user.id) throw NotFound.record();
  return { request, draft };
}

export async function listDrafts(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
  page: PageRequest,
): Promise<Page<DraftNoteEntity>> {
  const request = await requireReadable(services, subject, iid);
  const order = { by: 'id', direction: 'asc' } as const;
  const scope = { request: request.id, author: caller.user.id };
  const { rows, total } = await store.draftList.page(services.db.read, scope, {}, order, page);
  return new Page(rows.map(present), total);
}

export async function getDraft(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  params: { merge_request_iid: number; draft_note_id: number },
): Promise<DraftNoteEntity> {
  return present((await requireDraft(services, caller, subject, params)).draft);
}

/** Columns that store the position of a draft. */
async function placeOf(services: Services, request: MergeRequestRow, position: discussions.PositionParams | undefined) {
  if (position === undefined) return {};
  const place = await checkPosition(services, request, position);
  return { position: JSON.stringify(place.position), line_code: place.lineCode };
}

async function checkThread(services: Services, noteable: Noteable, id: string | undefined): Promise<void> {
  if (id === undefined) return;
  try {
    await discussions.getDiscussion(services, noteable, id);
  } catch (error) {
    if (!(error instanceof HttpError) || error.status !== 404) throw error;
    throw new Invalid({ base: ['Thread to reply to cannot be found'] });
  }
}

export async function createDraft(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  { merge_request_iid: iid, note, position, ...params }: NewDraftParams,
): Promise<DraftNoteEntity> {
  const request = await requireReadable(services, subject, iid);
  const noteable = await noteableRequest(services, caller, subject, iid);
  if (!noteable.may.comment) throw new Forbidden();
  notes.checkBody(note);
  const thread = params.in_reply_to_discussion_id;
  await checkThread(services, noteable, thread);
  const now = Date.now();
  const row = {
    merge_request_id: request.id,
    author_id: caller.user.id,
    note,
    discussion_id: thread ?? null,
    resolve_discussion: thread !== undefined && params.resolve_discussion === true ? 1 : 0,
    commit_id: params.commit_id ?? null,
    position: null,
    line_code: null,
    ...(thread === undefined ? await placeOf(services, request, position) : {}),
    created_at: now,
    updated_at: now,
  };
  return services.db.write(async (trx) => {
    await setReviewState(trx, request.id, caller.user.id, 'review_started', { from: ['unreviewed', 'reviewed'] });
    return present(await store.insertDraft(trx, row));
  });
}

export async function updateDraft(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  { note, position, ...params }: DraftChangeParams,
): Promise<DraftNoteEntity> {
  const { request, draft } = await requireDraft(services, caller, subject, params);
  if (note === undefined && position === undefined) throw new BadRequest('Missing params to modify');
  const place = draft.discussion_id === null ? await placeOf(services, request, position) : {};
  const text = note === undefined ? {} : { note: notes.checkBody(note) };
  const change = { ...text, ...place, updated_at: Date.now() };
  const changed = await services.db.write((trx) => store.updateDraft(trx, draft.id, change));
  if (!changed) throw NotFound.record();
  return present(changed);
}

export async function deleteDraft(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  params: { merge_request_iid: number; draft_note_id: number },
): Promise<void> {
  const { draft } = await requireDraft(services, caller, subject, params);
  await services.db.write((trx) => store.deleteDraft(trx, draft.id));
}
