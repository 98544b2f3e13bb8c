import { releaseById, updateRelease } from '../../../code/releases/public.ts';
import { issuesById, updateImportedIssue } from '../../../planning/issues/public.ts';
import { noteBodies, updateNote } from '../../../planning/notes/public.ts';
import type { Reader, Writer } from '../../../platform/database/database.ts';
import { importedRequests, requestsById } from '../../../review/merge-requests/public.ts';
import { RateLimited } from '../../host-client/public.ts';
import type { ImportRun } from '../../project-imports/public.ts';
import type { HostaOptions } from '../api.ts';
import { storeAttachment } from './download.ts';
import { type AttachmentHost, attachmentsIn, withAttachment } from './links.ts';

/** A kind of object with a text, and the kind under which its attachments are counted. */
interface Texts {
  readonly kind: string;
  readonly counted: string;
  read(db: Reader, id: number): Promise<string>;
  write(trx: Writer, id: number, text: string): Promise<unknown>;
}

const notes = {
  counted: 'note_attachment',
  read: async (db: Reader, id: number) => (await noteBodies(db, [id])).get(id) ?? '',
  write: (trx: Writer, id: number, body: string) => updateNote(trx, id, { body }),
};

const texts: readonly Texts[] = [
  {
    kind: 'release',
    counted: 'release_attachment',
    read: async (db, id) => (await releaseById(db, id))?.description ?? '',
    write: (trx, id, description) => updateRelease(trx, id, { description }),
  },
  {
    kind: 'issue',
    counted: 'issue_attachment',
    read: async (db, id) => (await issuesById(db, [id])).get(id)?.description ?? '',
    write: (trx, id, description) => updateImportedIssue(trx, id, { description }),
  },
  {
    kind: 'pull_request',
    counted: 'merge_request_attachment',
    read: async (db, id) => (await requestsById(db, [id])).get(id)?.description ?? '',
    write: (trx, id, description) => importedRequests.updateImportedRequest(trx, id, { description }),
  },
  { kind: 'note', ...notes },
  { kind: 'pull_request_review', ...notes },
  { kind: 'diff_note', ...notes },
];

/** Imports attachments, which would otherwise only be visible to users with access to the source. */
export async function importAttachments(run: ImportRun): Promise<void> {
  const { optional_stages, cloneUrl, fullName } = run.options<HostaOptions>();
  if (!optional_stages.attachments_import) return;
  const places = { web: new URL(cloneUrl).origin, fullName };
  for (const kind of texts) {
    for await (const { sourceId, targetId } of run.imported(kind.kind, kind.kind)) {
      await importFrom(run, places, kind, sourceId, targetId);
    }
  }
}

async function importFrom(
  run: ImportRun,
  places: AttachmentHost,
  { kind, counted, read, write }: Texts,
  sourceId: string,
  id: number,
): Promise<void> {
  for (const url of attachmentsIn(await read(run.services.db.read, id), places)) {
    const key = `${kind} ${sourceId} ${url}`;
    try {
      const here = await storeAttachment(run, url);
      await run.once(counted, key, async (trx) => {
        await write(trx, id, withAttachment(await read(trx, id), url, here));
        return null;
      });
    } catch (error) {
      if (error instanceof RateLimited || run.signal.aborted) throw error;
      await run.fail(counted, key, error);
    }
  }
}
