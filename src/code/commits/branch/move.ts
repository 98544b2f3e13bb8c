import type { Actor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { BadRequest } from '../../../platform/http/errors.ts';
import { moveRefs, PushRefused } from '../../pushes/public.ts';
import { branchNotCreatedMessage } from './start.ts';

/** A ref update of a branch; a null tip means that the branch does not exist. */
export interface BranchMove {
  readonly branch: string;
  readonly old: string | null;
  readonly new: string;
  /** Runs in the transaction that records the push before the ref is updated. */
  readonly recordedWith?: ((trx: Writer) => Promise<void>) | undefined;
}

/** A branch that could not be updated; the message is meant for the caller. */
export class BranchNotMoved extends Error {
  override readonly name = 'BranchNotMoved';
  readonly raced: boolean;

  constructor(message: string, raced = false) {
    super(message);
    this.raced = raced;
  }
}

/** Updates a branch if it still has the expected tip. Throws `BranchNotMoved`. */
export async function moveBranch(
  services: Services,
  { caller, subject }: { readonly caller: Actor; readonly subject: ProjectSubject },
  move: BranchMove,
): Promise<void> {
  const ref = `refs/heads/${move.branch}`;
  const changes = [{ ref, old: move.old, new: move.new }];
  const { recordedWith } = move;
  const push = { actor: caller, subject, changes, protocol: 'web', ...(recordedWith && { recordedWith }) } as const;
  const result = await moveRefs(services, push).catch(refused);
  if (result.status === 'ok') return;
  if (result.status === 'stale' || result.status === 'locked') {
    throw new BranchNotMoved(`Could not update ${ref}. Please refresh and try again.`, true);
  }
  const reason = result.status === 'name-conflict' ? 'Branch name is taken by another one' : 'Branch name is invalid';
  throw new BranchNotMoved(branchNotCreatedMessage(move.branch, reason));
}

function refused(error: unknown): never {
  throw error instanceof PushRefused ? new BranchNotMoved(error.message) : error;
}

/** Converts `BranchNotMoved` into a 400 response. */
export function asBadRequest(error: unknown): never {
  throw error instanceof BranchNotMoved ? BadRequest.plain(error.message) : error;
}
