import type { SignedInActor } from '../../access/actor.ts';
import { findUser } from '../../access/credentials/identify.ts';
import { selfAndAncestorIds } from '../../access/namespaces/hierarchy.ts';
import { isProject, namespaceOf, ownerColumnsOf, ownerOf, type ProjectOrGroup } from '../../access/project-or-group.ts';
import type { Services } from '../../access/services.ts';
import type { Reader } from '../../platform/database/database.ts';
import { lockRow } from '../../platform/database/locks.ts';
import { BadRequest, NotFound } from '../../platform/http/errors.ts';
import { Page, type PageRequest } from '../../platform/http/pages/pagination.ts';
import { lengthProblem } from '../../platform/http/parameters/too-long.ts';
import { checkUnmodified } from '../../platform/http/responses/precondition.ts';
import { rubyDump } from '../../platform/http/responses/ruby-dump.ts';
import { checkLabelCount, cleanTitles, findLabels } from '../labels/public.ts';
import { usableMilestone } from '../milestones/public.ts';
import { presentBoards } from './present.ts';
import type { BoardChangeParams, BoardEntity } from './schema.ts';
import * as store from './store.ts';
import type { BoardKind, BoardRow } from './tables.ts';

export async function listBoards(
  services: Services,
  caller: SignedInActor,
  place: ProjectOrGroup,
  page: PageRequest,
  kind: BoardKind = 'issues',
): Promise<Page<BoardEntity>> {
  const scope = { ...ownerOf(ownerColumnsOf(place)), kind };
  const order = { by: 'id', direction: 'asc' } as const;
  const { rows, total } = await store.boardList.page(services.db.read, scope, {}, order, page);
  return new Page(await presentBoards(services, caller, place, rows), total);
}

export async function requireBoard(
  { db }: Services,
  place: ProjectOrGroup,
  id: number,
  kind: BoardKind,
): Promise<BoardRow> {
  const board = await store.findBoard(db.read, ownerColumnsOf(place), kind, id);
  if (!board) throw NotFound.record();
  return board;
}

async function presentBoard(
  services: Services,
  caller: SignedInActor,
  place: ProjectOrGroup,
  board: BoardRow,
): Promise<BoardEntity> {
  const [entity] = await presentBoards(services, caller, place, [board]);
  if (!entity) throw NotFound.record();
  return entity;
}

export async function getBoard(
  services: Services,
  caller: SignedInActor,
  place: ProjectOrGroup,
  id: number,
  kind: BoardKind = 'issues',
): Promise<BoardEntity> {
  return presentBoard(services, caller, place, await requireBoard(services, place, id, kind));
}

function refused(problems: Readonly<Record<string, readonly string[]>>): Error {
  return new BadRequest(`Failed to save board ${rubyDump(problems)}`);
}

function checkName(name: string): string {
  if (name.trim() === '') throw refused({ name: ["can't be blank"] });
  const long = lengthProblem(name, 255);
  if (long !== undefined) throw refused({ name: [long] });
  return name;
}

export async function createBoard(
  services: Services,
  caller: SignedInActor,
  place: ProjectOrGroup,
  name: string,
  kind: BoardKind = 'issues',
): Promise<BoardEntity> {
  const now = Date.now();
  const row = { ...ownerColumnsOf(place), kind, name: checkName(name), created_at: now, updated_at: now };
  const board = await services.db.write((trx) => store.insertBoard(trx, row));
  return presentBoard(services, caller, place, board);
}

/** The milestone with this ID, if the project or group can use it. */
export async function milestoneIn(db: Reader, place: ProjectOrGroup, id: number) {
  const namespace = namespaceOf(place);
  const line = namespace.kind === 'group' ? await selfAndAncestorIds(db, namespace.id) : [];
  return usableMilestone(db, id, isProject(place) ? place.project.id : 0, line);
}

export async function updateBoard(
  services: Services,
  caller: SignedInActor,
  place: ProjectOrGroup,
  id: number,
  params: BoardChangeParams,
  kind: BoardKind = 'issues',
): Promise<BoardEntity> {
  await requireBoard(services, place, id, kind);
  const board = await services.db.write(async (trx) => {
    if (!(await lockRow(trx, 'boards', id))) throw NotFound.record();
    const change: Partial<Omit<BoardRow, 'id'>> = { updated_at: Date.now() };
    if (params.name !== undefined) change.name = checkName(params.name);
    if (params.hide_backlog_list !== undefined) change.hide_backlog_list = params.hide_backlog_list ? 1 : 0;
    if (params.hide_closed_list !== undefined) change.hide_closed_list = params.hide_closed_list ? 1 : 0;
    if (params.weight !== undefined) {
      if (params.weight !== null && params.weight < 0)
        throw refused({ weight: ['must be greater than or equal to 0'] });
      change.weight = params.weight;
    }
    if (params.milestone_id !== undefined) {
      const wanted = params.milestone_id ? await milestoneIn(trx, place, params.milestone_id) : null;
      change.milestone_id = wanted?.id ?? null;
    }
    if (params.assignee_id !== undefined) {
      const wanted = params.assignee_id ? await findUser(trx, params.assignee_id) : null;
      change.assignee_id = wanted?.id ?? null;
    }
    if (params.labels !== undefined) {
      const titles = cleanTitles(params.labels ?? []);
      checkLabelCount(titles);
      const found = await findLabels(trx, place, titles);
      await store.setLabels(
        trx,
        id,
        [...found.values()].map((label) => label.id),
      );
    }
    return store.updateBoard(trx, id, change);
  });
  return presentBoard(services, caller, place, board);
}

export async function deleteBoard(
  services: Services,
  place: ProjectOrGroup,
  id: number,
  http: Parameters<typeof checkUnmodified>[0],
  kind: BoardKind = 'issues',
): Promise<void> {
  const board = await requireBoard(services, place, id, kind);
  checkUnmodified(http, board.updated_at);
  await services.db.write((trx) => store.deleteBoard(trx, id));
}
