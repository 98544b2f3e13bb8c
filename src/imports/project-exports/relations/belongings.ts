import type { Reader } from '../../../platform/database/database.ts';
import { instant, instantOrNull } from '../../../platform/http/schema.ts';
import { storedRecord } from '../../../platform/stored-json.ts';
import * as rows from '../relation-store.ts';
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
    rows.notesOf(db, type, ids),
    rows.awardsOn(db, type, ids),
    rows.timelogsOf(db, type, ids),
    type === 'Issue' ? rows.issueLabels(db, ids) : rows.requestLabels(db, ids),
    milestoneIds.length === 0 ? [] : rows.milestonesNumbered(db, milestoneIds),
  ]);
  const eventsFor = await resourceEvents(db, type, ids);
  const noteIds = notes.map(({ id }) => id);
  const reactions = noteIds.length === 0 ? [] : await rows.awardsOn(db, 'Note', noteIds);
  const [notesFor, awardsFor, reactionsFor, timeFor, labelsFor] = [
    groupByParent(notes, ({ noteable_id }) => noteable_id),
    groupByParent(awards, ({ awardable_id }) => awardable_id),
    groupByParent(reactions, ({ awardable_id }) => awardable_id),
    groupByParent(timelogs, ({ target_id }) => target_id),
    groupByParent(labelled, ({ of }) => of),
  ];
  const award = ({ name, user_id, created_at }: (typeof awards)[number]) => ({
    name,
    user_id,
    created_at: instant(created_at),
  });
  return ({ id, milestone_id }: { readonly id: number; readonly milestone_id: number | null }): Line => {
    const milestone = planned.find((one) => one.id === milestone_id);
    return {
      milestone: milestone ? milestoneLine(milestone) : null,
      label_links: labelsFor(id).map(({ of: _, project_id, ...label }) => ({
        target_type: type,
        label: { ...label, type: project_id === null ? 'GroupLabel' : 'ProjectLabel' },
      })),
      award_emoji: awardsFor(id).map(award),
      ...eventsFor(id),
      timelogs: timeFor(id).map(({ seconds, user_id, summary, spent_at, created_at }) => ({
        time_spent: seconds,
        user_id,
        summary,
        spent_at: instant(spent_at),
        created_at: instant(created_at),
      })),
      notes: notesFor(id).map((note) => ({
        id: note.id,
        note: note.body,
        noteable_type: type,
        author_id: note.author_id,
        type: note.type,
        discussion_id: note.discussion_id,
        system: note.system === 1,
        internal: note.internal === 1,
        line_code: note.line_code,
        position: readPosition(note.position),
        original_position: readPosition(note.original_position),
        resolved_at: instantOrNull(note.resolved_at),
        resolved_by_id: note.resolved_by_id,
        updated_by_id: note.updated_by_id,
        created_at: instant(note.created_at),
        updated_at: instant(note.updated_at),
        award_emoji: reactionsFor(note.id).map(award),
      })),
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

function readPosition(text: string | null): unknown {
  return text === null ? null : storedRecord(text);
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
