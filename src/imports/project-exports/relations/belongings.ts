import type { Reader } from '../../../platform/database/database.ts';
import { instant } from '../../../platform/http/schema.ts';
import * as rows from '../relation-store.ts';
import { awardsFor, notesFor } from './notes.ts';
import { groupByParent, type Line } from './walk.ts';

type Noted = 'Issue' | 'MergeRequest';

/** Records shared by issues and merge requests: notes with reactions, reactions, time logs, labels and milestone. */
export async function issuableData(
  db: Reader,
  type: Noted,
  things: readonly { readonly id: number; readonly milestone_id: number | null }[],
) {
  const ids = things.map(({ id }) => id);
  const milestoneIds = things.flatMap(({ milestone_id: id }) => id ?? []);
  const [notes, awards, timelogs, labelled, planned] = await Promise.all([
    notesFor(db, type, ids),
    awardsFor(db, type, ids),
    rows.timelogsOf(db, type, ids),
    type === 'Issue' ? rows.issueLabels(db, ids) : rows.requestLabels(db, ids),
    milestoneIds.length === 0 ? [] : rows.milestonesNumbered(db, milestoneIds),
  ]);
  const eventsFor = await resourceEvents(db, type, ids);
  const [timeFor, labelsFor] = [
    groupByParent(timelogs, ({ target_id }) => target_id),
    groupByParent(labelled, ({ of }) => of),
  ];
  return ({ id, milestone_id }: { readonly id: number; readonly milestone_id: number | null }): Line => {
    const milestone = planned.find((one) => one.id === milestone_id);
    return {
      milestone: milestone ? milestoneLine(milestone) : null,
      label_links: labelsFor(id).map(({ of: _, project_id, ...label }) => ({
        target_type: type,
        label: { ...label, type: project_id === null ? 'GroupLabel' : 'ProjectLabel' },
      })),
      award_emoji: awards(id),
      ...eventsFor(id),
      timelogs: timeFor(id).map(({ seconds, user_id, summary, spent_at, created_at }) => ({
        time_spent: seconds,
        user_id,
        summary,
        spent_at: instant(spent_at),
        created_at: instant(created_at),
      })),
      notes: notes(id),
    };
  };
}

/** Who changed labels, milestone, state and weight, and when. */
async function resourceEvents(db: Reader, type: Noted, ids: readonly number[]): Promise<(id: number) => Line> {
  const [labels, milestones, states, weights] = await Promise.all([
    rows.labelEvents(db, type, ids),
    rows.milestoneEvents(db, type, ids),
    rows.stateEvents(db, type, ids),
    rows.weightEvents(db, type, ids),
  ]);
  const [labelsFor, milestonesFor, statesFor, weightsFor] = [
    groupByParent(labels, ({ of }) => of),
    groupByParent(milestones, ({ of }) => of),
    groupByParent(states, ({ of }) => of),
    groupByParent(weights, ({ of }) => of),
  ];
  return (id) => ({
    resource_label_events: labelsFor(id).map(({ action, user_id, created_at, title, project_id }) => ({
      action,
      user_id,
      created_at: instant(created_at),
      label: { title, type: project_id === null ? 'GroupLabel' : 'ProjectLabel' },
    })),
    resource_milestone_events: milestonesFor(id).map(({ action, state, user_id, created_at, ...milestone }) => ({
      action,
      state,
      user_id,
      created_at: instant(created_at),
      milestone: milestoneLine(milestone),
    })),
    resource_state_events: statesFor(id).map(({ state, user_id, created_at, source_commit }) => ({
      state,
      user_id,
      created_at: instant(created_at),
      source_commit,
    })),
    resource_weight_events: weightsFor(id).map(({ weight, user_id, created_at }) => ({
      weight,
      user_id,
      created_at: instant(created_at),
    })),
  });
}

/** A milestone as referenced by other records. */
export function milestoneLine({
  iid,
  title,
  project_id,
  namespace_id: group_id,
}: Pick<
  Awaited<ReturnType<typeof rows.milestonesNumbered>>[number],
  'iid' | 'title' | 'project_id' | 'namespace_id'
>): Line {
  return { iid, title, project_id, group_id };
}
