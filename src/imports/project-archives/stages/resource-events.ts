import { recordLabels, recordMilestone, recordState, recordWeight } from '../../../planning/resource-events/public.ts';
import type { Writer } from '../../../platform/database/database.ts';
import { labelIdsOf, type Noteable } from '../../content/public.ts';
import { enumOf, type Fields, fieldsOf, listOf, shaOf, textOf, timeOf } from '../fields.ts';
import { milestoneIdOf } from './boards.ts';
import type { ArchiveContext } from './context.ts';

type Record = (trx: Writer) => Promise<void>;

/** Imports who changed labels, milestone, state and weight of an issue or merge request, and when. */
export async function importResourceEvents(
  context: ArchiveContext,
  thing: Fields,
  target: Noteable,
  named: string,
): Promise<void> {
  const { run } = context;
  const lists = [
    [thing.resource_label_events, labelEvent],
    [thing.resource_milestone_events, milestoneEvent],
    [thing.resource_state_events, stateEvent],
    [thing.resource_weight_events, weightEvent],
  ] as const;
  const records: Record[] = [];
  for (const [list, read] of lists) {
    for (const event of listOf(list)) {
      const userId = await context.person(event.user_id);
      const place = { ...target, project_id: run.project.id, namespace_id: null };
      const record = await read(context, event, { target: place, userId, at: timeOf(event.created_at) });
      if (record) records.push(record);
    }
  }
  if (records.length === 0) return;
  await run.once('resource_events', named, async (trx) => {
    for (const record of records) await record(trx);
    return null;
  });
}

type Change = Parameters<typeof recordState>[1];

async function labelEvent({ run }: ArchiveContext, event: Fields, change: Change): Promise<Record | undefined> {
  const action = enumOf(event.action, ['add', 'remove']);
  const title = textOf(fieldsOf(event.label).title);
  const labels = action && title !== null ? await labelIdsOf(run, [title]) : [];
  if (labels.length === 0) return undefined;
  const [added, removed] = action === 'add' ? [labels, []] : [[], labels];
  return (trx) => recordLabels(trx, change, { added, removed });
}

async function milestoneEvent({ run }: ArchiveContext, event: Fields, change: Change): Promise<Record | undefined> {
  const action = enumOf(event.action, ['add', 'remove']);
  const milestone = action && (await milestoneIdOf(run, event.milestone));
  if (!milestone) return undefined;
  const state = enumOf(event.state, ['opened', 'closed', 'merged', 'locked']) ?? 'opened';
  const [before, after] = action === 'add' ? [null, milestone] : [milestone, null];
  return (trx) => recordMilestone(trx, change, { before, after, state });
}

async function stateEvent(_: ArchiveContext, event: Fields, change: Change): Promise<Record | undefined> {
  const state = enumOf(event.state, ['opened', 'closed', 'reopened', 'merged', 'locked']);
  const commit = shaOf(event.source_commit);
  return state && ((trx) => recordState(trx, change, state, commit === null ? {} : { commit }));
}

async function weightEvent(_: ArchiveContext, { weight }: Fields, change: Change): Promise<Record | undefined> {
  const valid = weight === null || (Number.isSafeInteger(weight) && Number(weight) >= 0 && Number(weight) < 2 ** 31);
  return valid ? (trx) => recordWeight(trx, change, weight === null ? null : Number(weight)) : undefined;
}
