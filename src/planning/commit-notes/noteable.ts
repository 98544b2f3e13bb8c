import { type Actor, isAdmin } from '../../access/actor.ts';
import { Role } from '../../access/roles.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import { shownTitle } from '../../code/commits/public.ts';
import { keepAround, requireCommit } from '../../code/repository/public.ts';
import type { Commit } from '../../platform/git/objects/commit.ts';
import type { Noteable } from '../notes/public.ts';
import { ensureCommitId, findCommitId } from './store.ts';

/** A commit and its noteable for one caller. */
export interface NoteableCommit {
  readonly commit: Commit;
  readonly noteable: Noteable;
}

function asNoteable(caller: Actor, subject: ProjectSubject, commit: Commit, id: number): Noteable {
  return {
    reader: caller,
    target: { type: 'Commit', id, project_id: subject.project.id, namespace_id: null },
    commitId: commit.oid,
    iid: null,
    title: shownTitle(commit),
    audience: 'code',
    hasInternalNotes: false,
    resolvable: false,
    may: {
      comment: subject.can('create_note'),
      internal: false,
      manage: subject.can('admin_note'),
      chooseTimes: isAdmin(caller) || subject.levels.highest >= Role.owner,
      resolve: false,
    },
  };
}

/** The noteable for reading or changing notes. A commit without notes has no ID; 0 matches no notes. */
export async function noteableCommit(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  sha: string,
): Promise<NoteableCommit> {
  const commit = await requireCommit(services, subject, sha);
  const id = await findCommitId(services.db.read, subject.project.id, commit.oid);
  return { commit, noteable: asNoteable(caller, subject, commit, id ?? 0) };
}

/** The noteable for adding a note: assigns an ID and keeps the commit from being garbage collected. */
export async function ensureNoteableCommit(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  commit: Commit,
): Promise<Noteable> {
  await keepAround(services, subject, commit.oid);
  const id = await services.db.write((trx) => ensureCommitId(trx, subject.project.id, commit.oid));
  return asNoteable(caller, subject, commit, id);
}
