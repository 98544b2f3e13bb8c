import type { Services } from '../../../access/services.ts';
import { diffOfCommit } from '../../../code/commits/public.ts';
import type { ProjectCall, SignedInProjectCall } from '../../../code/repository/public.ts';
import type { Commit } from '../../../platform/git/objects/commit.ts';
import { discussions, type NewNoteParams, notes } from '../../notes/public.ts';
import { readComment } from '../comment.ts';

/** Stands for the parent of a root commit. */
const nothing = '0'.repeat(40);

/** Creates a thread on a commit or on a line of its diff. */
export async function beginThread(
  services: Services,
  call: SignedInProjectCall,
  sha: string,
  { position, ...params }: NewNoteParams & { readonly position?: discussions.PositionParams },
) {
  const read = await readComment(services, call, sha, params);
  if ('outcome' in read) return read.outcome;
  const place = position && (await checkPosition(services, call, read.commit, position));
  return discussions.createDiscussion(services, call.caller, read.noteable, read.params, place);
}

/** A position has to name the commit, its first parent, and a line of the diff between them. */
async function checkPosition(
  services: Services,
  call: ProjectCall,
  commit: Commit,
  position: discussions.PositionParams,
): Promise<discussions.DiffPosition> {
  const parent = commit.parents[0] ?? nothing;
  const { base_sha, start_sha, head_sha } = position;
  if (head_sha !== commit.oid || base_sha !== parent || start_sha !== parent) {
    throw notes.noteValidationError({ commit_id: ['does not match the diff refs'] });
  }
  return discussions.positionInDiff(await diffOfCommit(services, call, commit), position);
}

/** Replies to a thread, or executes the quick action of the reply. */
export async function reply(
  services: Services,
  call: SignedInProjectCall,
  sha: string,
  discussionId: string,
  params: NewNoteParams,
) {
  const read = await readComment(services, call, sha, params);
  if ('outcome' in read) return read.outcome;
  return discussions.replyTo(services, call.caller, read.noteable, discussionId, read.params);
}
