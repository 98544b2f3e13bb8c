import { hash } from 'node:crypto';
import { addImportedNote, importedTime, withSuggestions } from '../../content/public.ts';
import { HostError } from '../../host-client/public.ts';
import type { ImportRun } from '../../project-imports/public.ts';
import { everyPage, pagesOf } from '../api.ts';
import { type HostaDiffNote, lists } from '../records.ts';
import { contextOf, type HostaContext } from './context.ts';

/** Comments on lines. One list has those of all requests, but loses some where there are very many. */
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
      // Removed there since it was listed.
      if (!(error instanceof HostError && (error.status === 404 || error.status === 410))) throw error;
      await run.fail('diff_notes', sourceId, error);
    }
  }
}

/** The thread of a comment: named by its first one, so that answers find it after a restart too. */
function threadOf(run: ImportRun, id: number): string {
  return hash('sha1', `${run.project.id} ${run.type} ${id}`, 'hex');
}

async function importOne(run: ImportRun, { text, idOf }: HostaContext, note: HostaDiffNote): Promise<void> {
  const [, number] = /\/pull\/(\d+)/.exec(note.html_url) ?? [];
  const id = number === undefined ? undefined : await run.targetOf('pull_request', number);
  if (id === undefined) return;
  const authorId = await idOf(note.user);
  const place = placeOf(note);
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

/** Where in the diff it stands, as far as the other host still knows. */
function placeOf(note: HostaDiffNote): { position: string; lineCode: string } | undefined {
  const { path, line, side, commit_id: head, original_commit_id: original } = note;
  const whole = note.subject_type === 'file';
  if (!whole && !line) return undefined;
  const old_line = !whole && side === 'LEFT' ? (line ?? null) : null;
  const new_line = !whole && side !== 'LEFT' ? (line ?? null) : null;
  const position = {
    base_sha: original,
    start_sha: original,
    head_sha: head,
    old_path: path,
    new_path: path,
    position_type: whole ? 'file' : 'text',
    old_line,
    new_line,
    line_range: null,
  };
  const lineCode = `${hash('sha1', path, 'hex')}_${old_line ?? 0}_${new_line ?? 0}`;
  return { position: JSON.stringify(position), lineCode };
}
