import { putImportedIssue } from '../../../planning/epics/public.ts';
import { bestPriority, setPriority } from '../../../planning/labels/public.ts';
import { insertTimelog } from '../../../planning/time-tracking/public.ts';
import {
  findNearestEpic,
  importedTitle,
  importIssue,
  importLabel,
  importMilestone,
  labelIdsOf,
  type Noteable,
} from '../../content/public.ts';
import type { ImportRun } from '../../project-imports/public.ts';
import { amountOf, dayOf, enumOf, type Fields, fieldsOf, flagOf, listOf, numberOf, textOf, timeOf } from '../fields.ts';
import { milestoneIdOf } from './boards.ts';
import { type ArchiveContext, contextOf } from './context.ts';
import { addAwards, awardsOf, importNotes } from './notes.ts';
import { importResourceEvents } from './resource-events.ts';

export async function importLabels(run: ImportRun): Promise<void> {
  const { every } = await contextOf(run);
  await every('labels', async ({ title: sent, color, description, priorities }) => {
    const title = textOf(sent) ?? '';
    await importLabel(run, title, textOf(color) ?? '', textOf(description));
    const [priority] = listOf(priorities).flatMap(({ priority: some }) => (some === 0 ? 0 : (numberOf(some) ?? [])));
    if (priority !== undefined) await prioritize(run, title, priority);
  });
}

/** Prioritizes a label unless the project already does. */
async function prioritize(run: ImportRun, title: string, priority: number): Promise<void> {
  const { services, project } = run;
  const labelId = await run.targetOf('label', title);
  if (labelId === undefined) return;
  await run.once('label_priority', title, async (trx) => {
    if ((await bestPriority(trx, project.id, [labelId])) !== null) return null;
    await setPriority(trx, labelId, project.id, priority);
    await services.announce(trx, 'label.ranked', { labelId, projectId: project.id });
    return null;
  });
}

export async function importMilestones(run: ImportRun): Promise<void> {
  const { every, textOrNull } = await contextOf(run);
  await every('milestones', async (milestone, line) => {
    const number = numberOf(milestone.iid);
    if (number === null) return run.fail('milestone', `line ${line}`, new Error('it has no number'));
    if (await run.isHere('milestone', number)) return;
    await importMilestone(run, {
      number,
      title: textOf(milestone.title) ?? '',
      description: textOrNull(milestone.description),
      state: milestone.state === 'closed' ? 'closed' : 'active',
      startDate: dayOf(milestone.start_date),
      dueDate: dayOf(milestone.due_date),
      createdAt: timeOf(milestone.created_at),
      updatedAt: timeOf(milestone.updated_at),
    });
  });
}

export async function importIssues(run: ImportRun): Promise<void> {
  const context = await contextOf(run);
  await context.every('issues', (issue, line) => importOne(context, issue, line));
}

async function importOne(context: ArchiveContext, issue: Fields, line: number): Promise<void> {
  const { run } = context;
  const number = numberOf(issue.iid);
  if (number === null) return run.fail('issue', `line ${line}`, new Error('it has no number'));
  if (await run.isHere('issue', number)) return;
  const closedAt = issue.state === 'closed' ? timeOf(issue.closed_at ?? issue.updated_at) : null;
  await importIssue(run, {
    ...(await issuableAttributes(context, issue, number)),
    assigneeIds: await peopleOf(context, issue.issue_assignees),
    closedAt,
    details: {
      issue_type: enumOf(issue.issue_type, ['issue', 'incident', 'test_case', 'task']) ?? 'issue',
      confidential: flagOf(issue.confidential) ? 1 : 0,
      discussion_locked: typeof issue.discussion_locked === 'boolean' ? Number(issue.discussion_locked) : null,
      closed_by_id: closedAt === null ? null : await context.personOrNull(issue.closed_by_id),
      start_date: dayOf(issue.start_date),
      due_date: dayOf(issue.due_date),
      weight:
        Number.isSafeInteger(issue.weight) && Number(issue.weight) >= 0
          ? Math.min(Number(issue.weight), 2 ** 31 - 1)
          : null,
      health_status: enumOf(issue.health_status, ['on_track', 'needs_attention', 'at_risk']) ?? null,
      severity: enumOf(issue.severity, ['unknown', 'low', 'medium', 'high', 'critical']) ?? 'unknown',
      time_estimate: amountOf(issue.time_estimate),
      total_time_spent: spentOn(issue),
      relative_position: placeOf(issue.relative_position),
    },
  });
  const id = await run.targetOf('issue', number);
  if (id === undefined) return;
  await importIssuableData(context, issue, { type: 'Issue', id }, `issue ${number}`);
  await putIntoEpic(run, issue, id, number);
}

/** Place in lists ordered by hand. */
const placeOf = (value: unknown) =>
  Number.isSafeInteger(value) && Math.abs(Number(value)) < 2 ** 31 ? Number(value) : null;

/** Assigns the issue to an epic of an ancestor group, if it exists. */
async function putIntoEpic(run: ImportRun, issue: Fields, id: number, number: number): Promise<void> {
  const { iid, title } = fieldsOf(fieldsOf(issue.epic_issue).epic);
  const [wanted, named] = [numberOf(iid), textOf(title)];
  if (wanted === null || named === null) return;
  await run.once('epic_issue', number, async (trx) => {
    const epic = await findNearestEpic(trx, run.namespace.id, { iid: wanted, title: importedTitle(named) });
    if (!epic) throw new Error(`epic ${wanted} was not imported`);
    await putImportedIssue(trx, epic.id, id);
    return null;
  });
}

/** Attributes shared by issues and merge requests. */
export async function issuableAttributes(context: ArchiveContext, thing: Fields, number: number) {
  const { run, person, textOrNull } = context;
  const labels = listOf(thing.label_links).map(({ label }) => fieldsOf(label));
  const titles = labels.flatMap(({ title }) => textOf(title) ?? []);
  // Group labels are only described here.
  for (const { title, color, description, type } of labels) {
    const name = textOf(title);
    if (name === null) continue;
    await importLabel(run, name, textOf(color) ?? '', textOf(description), type === 'GroupLabel');
  }
  return {
    number,
    title: textOf(thing.title) ?? '',
    description: textOrNull(thing.description),
    authorId: await person(thing.author_id),
    labelIds: await labelIdsOf(run, titles),
    milestoneId: await milestoneIdOf(run, thing.milestone),
    createdAt: timeOf(thing.created_at),
    updatedAt: timeOf(thing.updated_at),
  };
}

export function spentOn(thing: Fields): number {
  const seconds = listOf(thing.timelogs).map(({ time_spent }) =>
    Number.isSafeInteger(time_spent) ? Number(time_spent) : 0,
  );
  return Math.min(
    Math.max(
      seconds.reduce((sum, some) => sum + some, 0),
      0,
    ),
    2 ** 31 - 1,
  );
}

export async function peopleOf({ person }: ArchiveContext, list: unknown): Promise<number[]> {
  const ids: number[] = [];
  for (const { user_id } of listOf(list)) if (numberOf(user_id) !== null) ids.push(await person(user_id));
  return [...new Set(ids)];
}

/** Imports notes, reactions and time logs of an issue or merge request. */
export async function importIssuableData(
  context: ArchiveContext,
  thing: Fields,
  target: Noteable,
  named: string,
): Promise<void> {
  const { run, person } = context;
  await importNotes(context, thing.notes, target, named);
  const awards = await awardsOf(context, thing);
  const logs = await Promise.all(
    listOf(thing.timelogs).map(async ({ time_spent, user_id, summary, spent_at, created_at }) => ({
      target_type: target.type,
      target_id: target.id,
      project_id: run.project.id,
      user_id: await person(user_id),
      seconds: Number.isSafeInteger(time_spent) ? Math.max(Math.min(Number(time_spent), 2 ** 31 - 1), -(2 ** 31)) : 0,
      summary: textOf(summary)?.slice(0, 255) ?? null,
      spent_at: timeOf(spent_at),
      created_at: timeOf(created_at),
    })),
  );
  await importResourceEvents(context, thing, target, named);
  if (awards.length + logs.length === 0) return;
  await run.once('extras', named, async (trx) => {
    await addAwards(context, trx, awards, { type: target.type, id: target.id });
    for (const log of logs) await insertTimelog(trx, log);
    return null;
  });
}
