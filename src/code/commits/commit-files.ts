import type { Actor } from '../../access/actor.ts';
import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { User } from '../../access/tables.ts';
import { ensureRepository, isBeingCopied } from '../../namespaces/projects/public.ts';
import { commitStats } from '../../platform/git/history/log-stats.ts';
import type { Commit } from '../../platform/git/objects/commit.ts';
import { createCommit } from '../../platform/git/objects/commit-write.ts';
import type { Identity } from '../../platform/git/objects/identity.ts';
import type { Objects } from '../../platform/git/objects/objects.ts';
import type { ObjectWriter } from '../../platform/git/objects/writer.ts';
import { BadRequest } from '../../platform/http/errors.ts';
import { committerOf, repositoryOf } from '../repository/public.ts';
import type { FileAction } from './actions.ts';
import { applyActions, type PreparedAction, prepareActions } from './apply.ts';
import { inTurn } from './branch-turns.ts';
import { LargeFiles } from './large-files.ts';
import { moveBranch } from './move-branch.ts';
import type { CommitStats } from './schema.ts';
import { findStale } from './stale.ts';
import { findStart, noBranch, type Start, type Target } from './start.ts';

/** A commit of changes to files. */
export interface FileCommit extends Target {
  readonly message: string;
  readonly actions: readonly FileAction[];
  readonly authorName?: string;
  readonly authorEmail?: string;
  /** The text that refuses an action whose file has changed meanwhile. */
  readonly staleText?: (action: FileAction) => string;
  /** The text that refuses a commit that changes nothing; without it there may be such commits. */
  readonly unchangedText?: string;
  readonly stats?: boolean;
}

/** A commit that was made. */
export interface MadeCommit {
  readonly commit: Commit;
  readonly stats?: CommitStats;
}

/** Who makes a commit, and where. */
export interface Committing {
  readonly caller: Actor;
  readonly subject: ProjectSubject;
}

/** Commits changes to a branch: all of them, or none. The caller's right to push there has been asked for. */
export async function commitFiles(
  services: Services,
  { caller, subject }: Committing,
  wanted: FileCommit,
): Promise<MadeCommit> {
  const { git } = services;
  if (subject.project.empty_repo === 1) {
    // What was written before the copy of its source arrives would be lost, or keep the copy away.
    if (isBeingCopied(subject.project)) throw BadRequest.plain(noBranch);
    await ensureRepository(services, subject.project);
  }
  const repo = repositoryOf(services, subject);
  const { parent } = await findStart(services, subject, wanted);
  const writer = git.writer(repo);
  try {
    // Contents may be large: they are written before the turn at the branch, which then takes milliseconds.
    const largeFiles = new LargeFiles(services, subject, git.objects(repo), parent?.tree ?? null);
    const actions = await prepareActions(wanted.actions, writer, largeFiles);
    return await inTurn(git, `${subject.project.id}:${wanted.branch}`, () =>
      commitPrepared(services, { caller, subject }, { ...wanted, imported: true }, actions, writer),
    );
  } finally {
    await writer.discard();
  }
}

async function commitPrepared(
  services: Services,
  { caller, subject }: Committing,
  wanted: FileCommit,
  actions: readonly PreparedAction[],
  writer: ObjectWriter,
): Promise<MadeCommit> {
  const { git } = services;
  const repo = repositoryOf(services, subject);
  const start = await findStart(services, subject, wanted);
  await checkStale(services, subject, wanted, start, actions);
  const editor = await git.editTree(repo, start.parent?.tree ?? null);
  await applyActions(editor, actions);
  const tree = await editor.write(writer);
  if (wanted.unchangedText !== undefined && tree === start.parent?.tree) throw BadRequest.plain(wanted.unchangedText);
  const committer = committerOf(services, caller.user as User);
  const oid = await createCommit(writer, {
    tree,
    parents: start.parent ? [start.parent.oid] : [],
    author: authorOf(committer, wanted),
    committer,
    message: wanted.message,
  });
  await writer.flush();
  const change = { branch: wanted.branch, old: start.tip, new: oid };
  const [stats] = await Promise.all([
    wanted.stats ? statsOf(git.objects(repo), oid) : undefined,
    moveBranch(services, { caller, subject }, change),
  ]);
  const commit = await git.objects(repo).commit(oid);
  if (!commit) throw new Error(`commit ${oid} vanished`);
  return { commit, stats };
}

async function checkStale(
  { git }: Services,
  subject: ProjectSubject,
  wanted: FileCommit,
  { parent }: Start,
  actions: readonly PreparedAction[],
): Promise<void> {
  if (!parent || !wanted.staleText) return;
  const stale = await findStale(git, git.repository(subject.project.id), parent.oid, actions);
  if (stale) throw BadRequest.plain(wanted.staleText(stale));
}

function authorOf(committer: Identity, { authorName, authorEmail }: FileCommit): Identity {
  return { ...committer, name: authorName ?? committer.name, email: authorEmail ?? committer.email };
}

/** Added and removed lines of a commit, worked out once; `run` lets the work wait for its turn. */
export async function statsOf(
  objects: Objects,
  oid: string,
  run: (work: () => Promise<CommitStats>) => Promise<CommitStats> = (work) => work(),
): Promise<CommitStats> {
  const size = () => 50;
  return objects.derived('stats', oid, size, () =>
    run(async () => {
      const { additions = 0, deletions = 0 } = (await commitStats(objects.repo, [oid])).get(oid) ?? {};
      return { additions, deletions, total: additions + deletions };
    }),
  );
}
