import { groupSubject } from '../../access/subjects.ts';
import { insertBadge } from '../../ci/badges/public.ts';
import { reserveInternalId } from '../../namespaces/internal-ids/public.ts';
import { insertAward } from '../../planning/award-emoji/public.ts';
import { insertBoard, insertBoardList, setBoardLabels } from '../../planning/boards/public.ts';
import { defaultEpicColor, findEpic, insertImportedEpic, setParent } from '../../planning/epics/public.ts';
import { ensureLabel } from '../../planning/labels/public.ts';
import { insertImportedMilestone } from '../../planning/milestones/public.ts';
import { insertNote, newDiscussionId } from '../../planning/notes/public.ts';
import type { Writer } from '../../platform/database/database.ts';
import { importedTitle, labelTitle } from '../content/public.ts';
import { fields } from '../project-archives/public.ts';
import { contextOf, type GroupContext, importRecords } from './lines.ts';
import type { GroupRun } from './run.ts';
import { milestoneNumbered } from './store.ts';
import { textIn } from './uploads.ts';

const { amountOf, dayOf, fieldsOf, flagOf, listOf, numberOf, textOf, timeOf, timeOrNull, enumOf } = fields;
type Fields = fields.Fields;

const color = /^#[0-9a-f]{6}$/i;

async function labelOf(trx: Writer, namespace_id: number, label: Fields): Promise<number | undefined> {
  const title = textOf(label.title);
  if (!title) return undefined;
  const now = Date.now();
  const sent = textOf(label.color) ?? '';
  const row = {
    ...{ project_id: null, namespace_id, archived: 0, created_at: now, updated_at: now },
    title: labelTitle(title),
    color: color.test(sent) ? sent.toLowerCase() : '#6699cc',
    description: textOf(label.description),
  };
  return (await ensureLabel(trx, row)).id;
}

async function labelsOf(trx: Writer, groupId: number, labels: readonly Fields[]): Promise<number[]> {
  const ids = new Set<number>();
  for (const label of labels) ids.add((await labelOf(trx, groupId, label)) ?? 0);
  ids.delete(0);
  return [...ids];
}

export async function importLabels(run: GroupRun): Promise<void> {
  const { id } = await run.group();
  await importRecords(run, 'labels', async (label) => async (trx) => {
    if ((await labelOf(trx, id, label)) === undefined) throw new Error('it has no title');
  });
}

export async function importMilestones(run: GroupRun): Promise<void> {
  const { id: namespace_id } = await run.group();
  await importRecords(run, 'milestones', async (milestone) => async (trx) => {
    const iid = numberOf(milestone.iid);
    if (iid === null) throw new Error('it has no number');
    await reserveInternalId(trx, { namespace_id }, 'milestones', iid);
    await insertImportedMilestone(trx, {
      iid,
      project_id: null,
      namespace_id,
      title: importedTitle(textOf(milestone.title)),
      description: textIn(run, milestone.description),
      state: milestone.state === 'closed' ? 'closed' : 'active',
      start_date: dayOf(milestone.start_date),
      due_date: dayOf(milestone.due_date),
      created_at: timeOf(milestone.created_at),
      updated_at: timeOf(milestone.updated_at),
    });
  });
}

const address = /^https?:\/\/\S{1,2000}$/i;

export async function importBadges(run: GroupRun): Promise<void> {
  const actor = await run.actor();
  const subject = await groupSubject(run.services.db.read, actor, await run.group());
  await importRecords(run, 'badges', async (badge) => async (trx) => {
    const [link_url, image_url] = [textOf(badge.link_url) ?? '', textOf(badge.image_url) ?? ''];
    if (!address.test(link_url) || !address.test(image_url)) throw new Error('it has no address');
    await insertBadge(trx, subject, { name: textOf(badge.name)?.slice(0, 255) ?? null, link_url, image_url });
  });
}

async function milestoneOf(trx: Writer, groupId: number, named: unknown): Promise<number | null> {
  const iid = numberOf(fieldsOf(named).iid);
  return iid === null ? null : ((await milestoneNumbered(trx, groupId, iid)) ?? null);
}

export async function importBoards(run: GroupRun): Promise<void> {
  const { group, person } = await contextOf(run);
  await importRecords(run, 'boards', async (board) => {
    const assignees = new Map<Fields, number>();
    const lists = listOf(board.lists);
    for (const list of lists) {
      if (list.list_type === 'assignee' && numberOf(list.user_id) !== null) {
        assignees.set(list, await person(list.user_id));
      }
    }
    return async (trx) => {
      const { id } = await insertBoard(trx, {
        project_id: null,
        namespace_id: group.id,
        name: textOf(board.name)?.slice(0, 255) || 'Development',
        hide_backlog_list: flagOf(board.hide_backlog_list) ? 1 : 0,
        hide_closed_list: flagOf(board.hide_closed_list) ? 1 : 0,
        milestone_id: await milestoneOf(trx, group.id, board.milestone),
        weight: numberOf(board.weight),
        created_at: timeOf(board.created_at),
        updated_at: timeOf(board.updated_at),
      });
      await setBoardLabels(trx, id, await labelsOf(trx, group.id, listOf(board.labels)));
      let position = 0;
      for (const list of lists) {
        const only = {
          label_id: (await labelOf(trx, group.id, fieldsOf(list.label))) ?? null,
          milestone_id: await milestoneOf(trx, group.id, list.milestone),
          assignee_id: assignees.get(list) ?? null,
        };
        if (Object.values(only).filter((one) => one !== null).length !== 1) continue;
        await insertBoardList(trx, { ...only, board_id: id, position, ...listLimits(list) });
        position += 1;
      }
    };
  });
}

const listLimits = (list: Fields) => ({
  max_issue_count: amountOf(list.max_issue_count),
  max_issue_weight: amountOf(list.max_issue_weight),
  limit_metric: enumOf(list.limit_metric, ['all_metrics', 'issue_count', 'issue_weights']) ?? null,
  created_at: timeOf(list.created_at),
  updated_at: timeOf(list.updated_at),
});

export async function importEpics(run: GroupRun): Promise<void> {
  const context = await contextOf(run);
  await importRecords(run, 'epics', async (epic) => {
    const iid = numberOf(epic.iid);
    if (iid === null) throw new Error('it has no number');
    const closed = epic.state === 'closed';
    const author_id = await context.person(epic.author_id);
    const closed_by_id =
      closed && numberOf(epic.closed_by_id) !== null ? await context.person(epic.closed_by_id) : null;
    const notes = await notesOf(run, context, epic);
    const awards = await awardsOf(context, epic);
    const namespace_id = context.group.id;
    const sent = textOf(epic.color) ?? '';
    return async (trx) => {
      await reserveInternalId(trx, { namespace_id }, 'epics', iid);
      const labels = listOf(epic.label_links).map(({ label }) => fieldsOf(label));
      const row = {
        iid,
        namespace_id,
        title: importedTitle(textOf(epic.title)),
        description: textIn(run, epic.description),
        state: closed ? ('closed' as const) : ('opened' as const),
        confidential: flagOf(epic.confidential) ? 1 : 0,
        color: color.test(sent) ? sent.toLowerCase() : defaultEpicColor,
        author_id,
        closed_by_id,
        closed_at: closed ? (timeOrNull(epic.closed_at) ?? timeOf(epic.updated_at)) : null,
        start_date_fixed: dayOf(epic.start_date_fixed),
        start_date_is_fixed: flagOf(epic.start_date_is_fixed) ? 1 : 0,
        due_date_fixed: dayOf(epic.due_date_fixed),
        due_date_is_fixed: flagOf(epic.due_date_is_fixed) ? 1 : 0,
        imported_from: run.type,
        created_at: timeOf(epic.created_at),
        updated_at: timeOf(epic.updated_at),
      };
      const { id } = await insertImportedEpic(trx, row, await labelsOf(trx, namespace_id, labels));
      for (const note of notes) await insertNote(trx, { ...note, noteable_id: id });
      for (const award of awards) await insertAward(trx, { ...award, awardable_id: id });
    };
  });
}

async function notesOf(run: GroupRun, { group, person }: GroupContext, epic: Fields) {
  const threads = new Map<string, string>();
  const notes = [];
  for (const note of listOf(epic.notes)) {
    const thread = textOf(note.discussion_id) ?? newDiscussionId();
    const discussion_id = threads.get(thread) ?? newDiscussionId();
    threads.set(thread, discussion_id);
    notes.push({
      noteable_type: 'Epic',
      commit_id: null,
      project_id: null,
      namespace_id: group.id,
      type: enumOf(note.type, ['DiscussionNote']) ?? null,
      discussion_id,
      author_id: await person(note.author_id),
      body: textIn(run, note.note) ?? '',
      system: flagOf(note.system) ? 1 : 0,
      internal: flagOf(note.internal) || flagOf(note.confidential) ? 1 : 0,
      imported_from: run.type,
      created_at: timeOf(note.created_at),
      updated_at: timeOf(note.updated_at ?? note.created_at),
    });
  }
  return notes;
}

async function awardsOf({ group, person }: GroupContext, epic: Fields) {
  const awards = [];
  for (const { name, user_id, created_at } of listOf(epic.award_emoji)) {
    const emoji = textOf(name);
    if (emoji === null || !/^[\w+-]{1,100}$/.test(emoji)) continue;
    const at = timeOf(created_at);
    const owner = { project_id: null, namespace_id: group.id };
    const row = { name: emoji, user_id: await person(user_id), awardable_type: 'Epic', created_at: at, updated_at: at };
    awards.push({ ...owner, ...row });
  }
  return awards;
}

/** Sets the parents of epics, once all epics are imported. */
export async function placeEpics(run: GroupRun): Promise<void> {
  const { id: groupId } = await run.group();
  const actor = await run.actor();
  const each = async (line: Fields) => async (trx: Writer) => {
    const [own, above] = [numberOf(line.iid), numberOf(fieldsOf(line.parent).iid)];
    if (own === null || above === null) return;
    const [epic, parent] = [await findEpic(trx, groupId, own), await findEpic(trx, groupId, above)];
    if (!epic || !parent) throw new Error(`epic ${own} or ${above} was not imported`);
    await setParent(trx, actor, epic, parent.id);
  };
  await importRecords(run, 'epics', each, 'epic_parents');
}
