import { actorOnBehalfOf } from '../../../access/actor.ts';
import { findUser } from '../../../access/credentials/identify.ts';
import { selfAndAncestorIds } from '../../../access/namespaces/hierarchy.ts';
import { isProject, namespaceOf, type ProjectOrGroup } from '../../../access/project-or-group.ts';
import type { Services } from '../../../access/services.ts';
import { groupSubject, projectSubject } from '../../../access/subjects.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { BadRequest, NotFound } from '../../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../../platform/http/pages/pagination.ts';
import { checkUnmodified } from '../../../platform/http/responses/precondition.ts';
import { iterationsById } from '../../iterations/public.ts';
import { usableLabel } from '../../labels/public.ts';
import { presentLists } from '../present.ts';
import type { BoardListEntity, NewListParams } from '../schema.ts';
import { milestoneIn, requireBoard } from '../service.ts';
import { listsOf } from '../store.ts';
import type { BoardKind, BoardListRow } from '../tables.ts';
import * as store from './store.ts';

/** Maximum number of lists per board, because a board is presented with all of them. */
const maxLists = 200;

const refused = (text: string) => BadRequest.plain({ error: text });

async function inOrder(db: Reader, board: number): Promise<BoardListRow[]> {
  return (await listsOf(db, [board])).get(board) ?? [];
}

export async function listLists(
  services: Services,
  place: ProjectOrGroup,
  boardId: number,
  { offset, perPage }: PageRequest,
  kind: BoardKind = 'issues',
): Promise<Page<BoardListEntity>> {
  const board = await requireBoard(services, place, boardId, kind);
  const all = await inOrder(services.db.read, board.id);
  return new Page(await presentLists(services, all.slice(offset, offset + perPage)), all.length);
}

async function presentList(services: Services, row: BoardListRow | undefined): Promise<BoardListEntity> {
  const [entity] = await presentLists(services, row ? [row] : []);
  if (!entity) throw NotFound.record();
  return entity;
}

export async function getList(
  services: Services,
  place: ProjectOrGroup,
  boardId: number,
  id: number,
  kind: BoardKind = 'issues',
): Promise<BoardListEntity> {
  const board = await requireBoard(services, place, boardId, kind);
  const rows = await inOrder(services.db.read, board.id);
  return presentList(
    services,
    rows.find((row) => row.id === id),
  );
}

/** The label, milestone, iteration or assignee of a new list, if the board can use it. */
async function criterionOf(
  db: Reader,
  place: ProjectOrGroup,
  { label_id, milestone_id, iteration_id, assignee_id }: NewListParams,
) {
  if (label_id !== undefined) {
    const label = await usableLabel(db, place, label_id);
    if (!label) throw refused('Label not found!');
    return { label_id: label.id };
  }
  if (milestone_id !== undefined) {
    const milestone = await milestoneIn(db, place, milestone_id);
    if (!milestone) throw refused('Milestone not found!');
    return { milestone_id: milestone.id };
  }
  if (iteration_id !== undefined) {
    const iteration = (await iterationsById(db, [iteration_id])).get(iteration_id);
    const around = await selfAndAncestorIds(db, namespaceOf(place).id);
    if (!iteration || !around.includes(iteration.namespace_id)) throw refused('Iteration not found!');
    return { iteration_id: iteration.id };
  }
  const user = await findUser(db, assignee_id);
  const seen =
    user &&
    (isProject(place)
      ? (await projectSubject(db, actorOnBehalfOf(user), place.project)).can('read_project')
      : (await groupSubject(db, actorOnBehalfOf(user), place.group)).can('read_group'));
  if (!user || !seen) throw refused('User not found!');
  return { assignee_id: user.id };
}

export async function createList(
  services: Services,
  place: ProjectOrGroup,
  boardId: number,
  params: NewListParams,
  kind: BoardKind = 'issues',
): Promise<BoardListEntity> {
  const board = await requireBoard(services, place, boardId, kind);
  const list = await services.db.write(async (trx) => {
    if (!(await lockRow(trx, 'boards', board.id))) throw NotFound.record();
    const about = await criterionOf(trx, place, params);
    const present = await inOrder(trx, board.id);
    const [[column, value] = []] = Object.entries(about);
    if (present.some((row) => row[column as keyof BoardListRow] === value)) {
      const words = {
        label_id: 'Label',
        milestone_id: 'Milestone',
        iteration_id: 'Iteration',
        assignee_id: 'Assignee',
      };
      throw refused(`${words[column as keyof typeof words]} has already been taken`);
    }
    if (present.length >= maxLists) throw refused(`A board has at most ${maxLists} lists`);
    const position = (present.at(-1)?.position ?? -1) + 1;
    const now = Date.now();
    return store.insertList(trx, { ...about, board_id: board.id, position, created_at: now, updated_at: now });
  });
  return presentList(services, list);
}

/** Moves a list to a position; the lists behind it shift. */
export async function moveList(
  services: Services,
  place: ProjectOrGroup,
  boardId: number,
  id: number,
  position: number,
  kind: BoardKind = 'issues',
): Promise<BoardListEntity> {
  const board = await requireBoard(services, place, boardId, kind);
  const moved = await services.db.write(async (trx) => {
    await lockRow(trx, 'boards', board.id);
    const present = await inOrder(trx, board.id);
    const list = present.find((row) => row.id === id);
    if (!list) throw NotFound.record();
    if (position < 0 || position >= present.length)
      throw refused('Failed to move list! Please provide a valid position.');
    const others = present.filter((row) => row.id !== id);
    const ordered = [...others.slice(0, position), list, ...others.slice(position)];
    for (const [index, row] of ordered.entries())
      if (row.position !== index) await store.setPosition(trx, row.id, index);
    return { ...list, position };
  });
  return presentList(services, moved);
}

export async function deleteList(
  services: Services,
  place: ProjectOrGroup,
  boardId: number,
  id: number,
  http: Parameters<typeof checkUnmodified>[0],
  kind: BoardKind = 'issues',
): Promise<void> {
  const board = await requireBoard(services, place, boardId, kind);
  await services.db.write(async (trx) => {
    await lockRow(trx, 'boards', board.id);
    const present = await inOrder(trx, board.id);
    const list = present.find((row) => row.id === id);
    if (!list) throw NotFound.record();
    checkUnmodified(http, list.updated_at);
    await store.deleteList(trx, id);
    const left = present.filter((row) => row.id !== id);
    for (const [index, row] of left.entries()) if (row.position !== index) await store.setPosition(trx, row.id, index);
  });
}
