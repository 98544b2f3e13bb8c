import type { SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { acquireLock } from '../../../platform/database/locks.ts';
import { Forbidden, NotFound, Unprocessable } from '../../../platform/http/errors.ts';
import { positionBetween, positionGap } from '../../positions.ts';
import { mayUpdate } from '../access.ts';
import type { IssueEntity } from '../schema.ts';
import { presentIssue, readableIssue } from '../service.ts';
import { issuesById } from '../store.ts';
import { lastPosition, positionIssuesUpTo, positionNear, setPosition, spreadPositions } from './store.ts';

/** The new neighbours of a reordered issue: the issue it comes after and the one it comes before. */
export interface Neighbours {
  readonly move_before_id?: number;
  readonly move_after_id?: number;
}

const missing = () => new NotFound('Issue');
const impossible = () => new Unprocessable({ error: 'Unprocessable Entity' });

/** Moves an issue between two others of its project in the manual order. */
export async function reorderIssue(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
  neighbours: Neighbours,
): Promise<IssueEntity> {
  const { issue, assigneeIds } = await readableIssue(services, caller, subject, iid, missing);
  if (!mayUpdate(caller, subject, issue, assigneeIds)) throw new Forbidden();
  await services.db.write(async (trx) => {
    await acquireLock(trx, `order of the issues of ${issue.project_id}`);
    let position = await placeBetween(trx, issue.project_id, issue.id, neighbours);
    if (position === undefined) {
      await spreadPositions(trx, issue.project_id);
      position = await placeBetween(trx, issue.project_id, issue.id, neighbours);
    }
    if (position === undefined) throw impossible();
    await setPosition(trx, issue.id, position);
  });
  return presentIssue(services, caller, await readableIssue(services, caller, subject, iid, missing));
}

async function placeBetween(
  trx: Writer,
  projectId: number,
  id: number,
  { move_before_id, move_after_id }: Neighbours,
): Promise<number | undefined> {
  const lower = move_before_id === undefined ? undefined : await positionOf(trx, projectId, id, move_before_id);
  const upper = move_after_id === undefined ? undefined : await positionOf(trx, projectId, id, move_after_id);
  if (lower !== undefined && upper !== undefined) {
    if (lower > upper) throw impossible();
    return positionBetween(lower, upper);
  }
  const [before, after] = await Promise.all([
    upper === undefined ? undefined : positionNear(trx, projectId, id, upper, 'before'),
    lower === undefined ? undefined : positionNear(trx, projectId, id, lower, 'after'),
  ]);
  return positionBetween(lower ?? before, upper ?? after);
}

/**
 * Returns the position of a neighbour. A neighbour without a position sorts after all positioned issues; it is given
 * one, together with the unpositioned issues before it, which would otherwise sort after it.
 */
async function positionOf(trx: Writer, projectId: number, id: number, neighbour: number): Promise<number> {
  const found = (await issuesById(trx, [neighbour])).get(neighbour);
  if (!found || found.project_id !== projectId || found.id === id) throw missing();
  if (found.relative_position !== null) return found.relative_position;
  await positionIssuesUpTo(trx, projectId, neighbour);
  return (await lastPosition(trx, projectId)) ?? positionGap;
}
