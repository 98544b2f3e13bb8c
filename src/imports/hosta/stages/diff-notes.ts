import { hash } from 'node:crypto';
import { type MergeRequestRow, requestsById } from '../../../review/merge-requests/public.ts';
import { addImportedNote, importedTime, withSuggestions } from '../../content/public.ts';
import { HostError } from '../../host-client/public.ts';
import type { ImportRun } from '../../project-imports/public.ts';
import { everyPage, pagesOf } from '../api.ts';
import { type HostaDiffNote, lists } from '../records.ts';
import { contextOf, type HostaContext } from './context.ts';

/**
 * Imports review comments. Requested per pull request, because the list of all comments is incomplete for large
 * repositories.
 */
export async function importDiffNotes(run: ImportRun): Promise<void> {
  const context = contextOf(run);
  const { client, base, options } = context;
  const query = `sort=created&direction=asc&per_page=${options.perPage}`;
  if (!options.optional_stages.single_endpoint_notes_import) {
    const first = `${base}/pulls/comments?${query}`;
    for await (const notes of pagesOf(run, client, lists.diffNotes, 'notes', first)) {
      for (const note of notes) await importOne(run, context, note);
    }
    return;
  }
  for await (const { sourceId } of run.imported('pull_request', 'requests')) {
    try {
      const first = `${base}/pulls/${sourceId}/comments?${query}`;
      for await (const notes of everyPage(run, client, lists.diffNotes, first)) {
        for (const note of notes) await importOne(run, context, note);
      }
    } catch (error) {
      // Deleted since it was listed.
      if (!(error instanceof HostError && (error.status === 404 || error.status === 410))) throw error;
      await run.fail('diff_notes', sourceId, error);
    }
  }
}

/** Discussion ID, derived from the first comment so that replies find it after a restart. */
function threadOf(run: ImportRun, id: number): string {
  return hash('sha1', `${run.project.id} ${run.type} ${id}`, 'hex');
}

async function importOne(run: ImportRun, { text, idOf }: HostaContext, note: HostaDiffNote): Promise<void> {
  const [, number] = /\/pull\/(\d+)/.exec(note.html_url) ?? [];
  const id = number === undefined ? undefined : await run.targetOf('pull_request', number);
  if (id === undefined) return;
  const authorId = await idOf(note.user);
  const request = (await requestsById(run.services.db.read, [id])).get(id);
  const place = diffPositionOf(note, request ?? { base_sha: null, start_sha: null });
  const said = text(withSuggestions(note.body ?? '', note));
  await run.once('diff_note', note.id, async (trx) => {
    const added = await addImportedNote(
      run,
      trx,
      { type: 'MergeRequest', id },
      {
        authorId,
        body: place ? said : `*Comment on ${note.path}*\n\n${said}`,
        createdAt: importedTime(note.created_at),
        updatedAt: importedTime(note.updated_at),
        discussionId: threadOf(run, note.in_reply_to_id ?? note.id),
        ...(place ? { type: 'DiffNote' as const, ...place } : { type: 'DiscussionNote' as const }),
      },
    );
    return added.id;
  });
}

/** The commits that line numbers refer to. */
type Sides = Pick<MergeRequestRow, 'base_sha' | 'start_sha'>;

/** Position of a comment in the diff, as far as the source host still knows it. */
export function diffPositionOf(note: HostaDiffNote, sides: Sides): { position: string; lineCode: string } | undefined {
  const { path, line, side, commit_id: head, original_commit_id: original } = note;
  const whole = note.subject_type === 'file';
  if (!whole && !line) return undefined;
  const at = (number: number | null) => ({
    old_line: side === 'LEFT' ? number : null,
    new_line: side === 'LEFT' ? null : number,
  });
  const end = at(whole ? null : (line ?? null));
  const several = !whole && note.start_line && line && note.start_line < line ? at(note.start_line) : undefined;
  const ending = (place: typeof end) => ({
    line_code: lineCodeOf(path, place),
    type: side === 'LEFT' ? 'old' : 'new',
    ...place,
  });
  const position = {
    base_sha: sides.base_sha ?? original,
    start_sha: sides.start_sha ?? original,
    head_sha: head,
    old_path: path,
    new_path: path,
    position_type: whole ? 'file' : 'text',
    ...end,
    line_range: several ? { start: ending(several), end: ending(end) } : null,
  };
  return { position: JSON.stringify(position), lineCode: lineCodeOf(path, end) };
}

const lineCodeOf = (path: string, lines: { readonly old_line: number | null; readonly new_line: number | null }) =>
  `${hash('sha1', path, 'hex')}_${lines.old_line ?? 0}_${lines.new_line ?? 0}`;
