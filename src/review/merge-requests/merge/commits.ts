import type { SignedInActor } from '../../../access/actor.ts';
import { findUser } from '../../../access/credentials/identify.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { committerOf } from '../../../code/repository/public.ts';
import { mergeCommits } from '../../../platform/git/diff/merge.ts';
import { createCommit, type NewCommit } from '../../../platform/git/objects/commit-write.ts';
import type { ObjectWriter } from '../../../platform/git/objects/writer.ts';
import type { Repository } from '../../../platform/git/repository.ts';
import { commitsOf } from '../closing/service.ts';
import { type MergeSettings, squashes } from '../settings.ts';
import type { MergeRequestRow } from '../tables.ts';
import { commonAncestor } from '../versions/collect.ts';
import { copyCommits } from './copy-commits.ts';
import { messageFacts } from './message-facts.ts';
import { mergeMessage, squashMessage } from './messages.ts';

/** Reason for which a merge failed, in the form of `merge_error`. */
export class MergeRefused extends Error {
  override readonly name = 'MergeRefused';
}

export const mergeErrors = {
  notAllowed: 'You are not allowed to merge this merge request',
  noSource: 'No source for merge',
  fastForwardOnly: 'Only fast-forward merge is allowed for your project. Please update your source branch',
  notMergeable: 'Merge request is not mergeable',
  squashRequired: 'This project requires squashing commits when merge requests are accepted.',
  moved: 'Branch has been updated since the merge was requested. Please review the changes.',
  hook: (text: string) => `Something went wrong during merge pre-receive hook. ${text}`,
  other: 'An error occurred while merging',
  squash: 'Squashing failed: Squash the commits locally, resolve any conflicts, then push the branch.',
} as const;

export interface Messages {
  readonly merge?: string | undefined;
  readonly squash?: string | undefined;
}

/** Commits of a merge that have been written but are not referenced by any branch yet. */
export interface PreparedMerge {
  readonly tip: string;
  readonly mergeCommit: string | null;
  readonly squashCommit: string | null;
  /** Commits that they are based on, besides the target. */
  readonly onTopOf: readonly string[];
}

export interface PrepareOptions {
  /** Whether commits are rebased if the project requires fast-forward merges. */
  readonly rebases?: boolean;
}

/** Writes the commits that merging produces on top of the given target tip. */
export async function prepareMerge(
  services: Services,
  merger: SignedInActor,
  subject: ProjectSubject,
  request: MergeRequestRow,
  target: string,
  settings: MergeSettings,
  given: Messages,
  { rebases = false }: PrepareOptions = {},
): Promise<PreparedMerge> {
  const repo = services.git.repository(request.project_id);
  const head = request.head_sha;
  if (head === null) throw new MergeRefused(mergeErrors.noSource);
  const base = await commonAncestor(services.git.objects(repo), target, head);
  const behind = settings.method !== 'merge' && base !== target;
  if (behind && !rebases) throw new MergeRefused(mergeErrors.fastForwardOnly);
  if (settings.squash === 'always' && request.squash === 0) throw new MergeRefused(mergeErrors.squashRequired);
  const commits = await commitsOf(services, request);
  const facts = await messageFacts(services, merger, subject, request, commits);
  const committer = committerOf(services, merger.user);
  const writer = services.git.writer(repo);
  const write = async (commit: NewCommit) => {
    const oid = await createCommit(writer, commit);
    await writer.flush();
    return oid;
  };
  let source = head;
  let squashCommit: string | null = null;
  const onTopOf = [head];
  if (squashes(settings, request)) {
    const message = given.squash?.trim() ? given.squash : squashMessage(settings.squashTemplate, facts);
    const [only] = commits;
    if (commits.length === 1 && only?.message.trim() === message.trim()) squashCommit = head;
    else {
      const author = (await findUser(services.db.read, request.author_id)) ?? merger.user;
      // Based on the commit that the request was last compared with, as it was reviewed; for fast-forward methods on
      // the target.
      const start = settings.method === 'merge' ? (request.start_sha ?? target) : target;
      const parent = (await commonAncestor(services.git.objects(repo), start, target)) ?? target;
      const tree = await treeOf(services, writer, repo, parent, head, mergeErrors.squash);
      onTopOf.push(parent);
      squashCommit = await write({
        tree,
        parents: [parent],
        author: committerOf(services, author),
        committer,
        message,
      });
    }
    source = squashCommit;
  } else if (behind) {
    const copied = await copyCommits(services, merger, request, target);
    if (copied === undefined) throw new MergeRefused(mergeErrors.notMergeable);
    source = copied;
  }
  if (settings.method === 'ff') return { tip: source, mergeCommit: null, squashCommit, onTopOf };
  const tree = await treeOf(services, writer, repo, target, source, mergeErrors.notMergeable);
  const message = given.merge?.trim() ? given.merge : mergeMessage(settings.mergeTemplate, facts);
  const mergeCommit = await write({ tree, parents: [target, source], author: committer, committer, message });
  return { tip: mergeCommit, mergeCommit, squashCommit, onTopOf };
}

async function treeOf(
  services: Services,
  writer: ObjectWriter,
  repo: Repository,
  ours: string,
  theirs: string,
  refusal: string,
): Promise<string> {
  const objects = services.git.objects(repo);
  if ((await commonAncestor(objects, ours, theirs)) === ours) {
    const tree = (await objects.commit(theirs))?.tree;
    if (tree !== undefined) return tree;
  }
  const merged = await mergeCommits(objects, ours, theirs, writer);
  if (merged.status === 'conflict') throw new MergeRefused(refusal);
  return merged.tree;
}
