import type { Actor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { BadRequest } from '../../../platform/http/errors.ts';
import { moveRefs, PushRefused } from '../../pushes/public.ts';
import { notCreated } from './start.ts';

/** A branch that is to get a new tip; null stands for "does not exist". */
export interface BranchMove {
  readonly branch: string;
  readonly old: string | null;
  readonly new: string;
  /** What is written down together with what is about to happen. */
  readonly recordedWith?: ((trx: Writer) => Promise<void>) | undefined;
}

/** Why a branch could not be moved, in the words for the caller. */
export class BranchNotMoved extends Error {
  override readonly name = 'BranchNotMoved';
  readonly raced: boolean;

  constructor(message: string, raced = false) {
    super(message);
    this.raced = raced;
  }
}

/** Moves a branch, if it still is where the caller saw it; throws `BranchNotMoved`. */
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
  throw new BranchNotMoved(notCreated(move.branch, reason));
}

function refused(error: unknown): never {
  throw error instanceof PushRefused ? new BranchNotMoved(error.message) : error;
}

/** A branch that does not move is a 400 with the reason. */
export function asBadRequest(error: unknown): never {
  throw error instanceof BranchNotMoved ? BadRequest.plain(error.message) : error;
}
