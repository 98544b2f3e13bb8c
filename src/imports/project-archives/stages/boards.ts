import { insertBoard, insertBoardList, setBoardLabels } from '../../../planning/boards/public.ts';
import { linkImportedIssues } from '../../../planning/issues/public.ts';
import { findNearestMilestone, importedTitle, labelIdsOf } from '../../content/public.ts';
import type { ImportRun } from '../../project-imports/public.ts';
import { amountOf, enumOf, type Fields, fieldsOf, flagOf, listOf, numberOf, textOf, timeOf } from '../fields.ts';
import { type ArchiveContext, contextOf } from './context.ts';

/** Imports links between issues. */
export async function importIssueLinks(run: ImportRun): Promise<void> {
  const { every } = await contextOf(run);
  await every('issue_links', async ({ source_iid, target_iid, link_type, created_at }, line) => {
    const [source_id, target_id] = [await issueOf(run, source_iid), await issueOf(run, target_iid)];
    if (source_id === undefined || target_id === undefined || source_id === target_id) {
      return run.fail('issue_link', `line ${line}`, new Error('a linked issue was not imported'));
    }
    await run.once('issue_link', `${source_iid} ${target_iid}`, async (trx) => {
      const kind = enumOf(link_type, ['relates_to', 'blocks']) ?? 'relates_to';
      await linkImportedIssues(trx, { source_id, target_id, link_type: kind, created_at: timeOf(created_at) });
      return null;
    });
  });
}

async function issueOf(run: ImportRun, iid: unknown): Promise<number | undefined> {
  const number = numberOf(iid);
  return number === null ? undefined : run.targetOf('issue', number);
}

export async function importBoards(run: ImportRun): Promise<void> {
  const context = await contextOf(run);
  await context.every('boards', (board, line) => importBoard(context, board, line));
}

async function importBoard(context: ArchiveContext, board: Fields, line: number): Promise<void> {
  const { run } = context;
  const narrowed = await labelIdsOf(run, titlesOf(listOf(board.labels)));
  const milestone = await milestoneIdOf(run, board.milestone);
  const lists: NonNullable<Awaited<ReturnType<typeof listRow>>>[] = [];
  for (const list of listOf(board.lists)) {
    const row = await listRow(context, list);
    if (row) lists.push(row);
  }
  await run.once('board', line, async (trx) => {
    const { id } = await insertBoard(trx, {
      project_id: run.project.id,
      namespace_id: null,
      name: textOf(board.name)?.slice(0, 255) || 'Development',
      hide_backlog_list: flagOf(board.hide_backlog_list) ? 1 : 0,
      hide_closed_list: flagOf(board.hide_closed_list) ? 1 : 0,
      milestone_id: milestone,
      weight: numberOf(board.weight),
      created_at: timeOf(board.created_at),
      updated_at: timeOf(board.updated_at),
    });
    await setBoardLabels(trx, id, narrowed);
    for (const [position, row] of lists.entries()) {
      await insertBoardList(trx, { ...row, board_id: id, position });
    }
    return id;
  });
}

const titlesOf = (labels: readonly Fields[]) => labels.flatMap(({ title }) => textOf(title) ?? []);

/** Row of a board list; undefined if its label, milestone or assignee does not exist here. */
async function listRow({ run, personOrNull }: ArchiveContext, list: Fields) {
  const [label_id = null] = await labelIdsOf(run, titlesOf([fieldsOf(list.label)]));
  const milestone_id = await milestoneIdOf(run, list.milestone);
  const assignee_id = list.list_type === 'assignee' ? await personOrNull(list.user_id) : null;
  const only = { label_id, milestone_id, assignee_id };
  if (Object.values(only).filter((id) => id !== null).length !== 1) return undefined;
  return {
    ...only,
    max_issue_count: amountOf(list.max_issue_count),
    max_issue_weight: amountOf(list.max_issue_weight),
    limit_metric: enumOf(list.limit_metric, ['all_metrics', 'issue_count', 'issue_weights']) ?? null,
    created_at: timeOf(list.created_at),
    updated_at: timeOf(list.updated_at),
  };
}

/** Milestone of the project, or, matched by title, of an ancestor group. */
export async function milestoneIdOf(run: ImportRun, named: unknown): Promise<number | null> {
  const { iid, title, group_id } = fieldsOf(named);
  const number = numberOf(iid);
  if (group_id != null && textOf(title) !== null) {
    const around = await findNearestMilestone(run.services.db.read, run.namespace.id, importedTitle(textOf(title)));
    return around?.id ?? null;
  }
  if (number === null || group_id != null) return null;
  return (await run.targetOf('milestone', number)) ?? null;
}
