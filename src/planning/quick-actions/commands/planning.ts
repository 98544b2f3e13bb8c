import { type Command, command, issuableKinds, issueKinds } from '../command.ts';
import { shortDay } from '../dates.ts';

/** Commands for milestones, due dates, epics and iterations. */
export const planningCommands: readonly Command[] = [
  command({
    name: 'milestone',
    on: issuableKinds,
    right: 'set_metadata',
    argument: 'milestone',
    wants: (title) => ({ milestones: [title] }),
    run: (title, { found }, changes) => {
      const milestone = found.milestone(title);
      if (milestone === undefined) return undefined;
      changes.milestone_id = milestone.id;
      return `Set the milestone to %"${milestone.title}".`;
    },
  }),
  command({
    name: 'remove_milestone',
    on: issuableKinds,
    right: 'set_metadata',
    argument: 'none',
    when: ({ subject }) => Boolean(subject.milestone),
    run: (_, { subject }, changes) => {
      changes.milestone_id = null;
      return `Removed %"${subject.milestone?.title}" milestone.`;
    },
  }),
  command({
    name: 'due',
    on: issueKinds,
    right: 'set_metadata',
    argument: 'day',
    run: (day, _, changes) => {
      changes.due_date = day;
      return `Set the due date to ${shortDay(day)}.`;
    },
  }),
  command({
    name: 'remove_due_date',
    on: issueKinds,
    right: 'set_metadata',
    argument: 'none',
    when: ({ subject }) => Boolean(subject.dueDate),
    run: (_, __, changes) => {
      changes.due_date = null;
      return 'Removed the due date.';
    },
  }),
  command({
    name: 'weight',
    on: issueKinds,
    right: 'set_metadata',
    argument: 'number',
    run: (weight, _, changes) => {
      changes.weight = weight;
      return `Set weight to ${weight}.`;
    },
  }),
  command({
    name: 'clear_weight',
    on: issueKinds,
    right: 'set_metadata',
    argument: 'none',
    when: ({ subject }) => typeof subject.weight === 'number',
    run: (_, __, changes) => {
      changes.weight = null;
      return 'Cleared weight.';
    },
  }),
  command({
    name: 'health_status',
    on: issueKinds,
    right: 'set_metadata',
    argument: 'healthStatus',
    run: (status, _, changes) => {
      changes.health_status = status;
      return `Set health status to ${status.replace('_', ' ')}.`;
    },
  }),
  command({
    name: 'clear_health_status',
    on: issueKinds,
    right: 'set_metadata',
    argument: 'none',
    when: ({ subject }) => Boolean(subject.healthStatus),
    run: (_, __, changes) => {
      changes.health_status = null;
      return 'Cleared health status.';
    },
  }),
  command({
    name: 'iteration',
    on: issueKinds,
    right: 'set_metadata',
    argument: 'text',
    wants: (text) => ({ iterations: [text] }),
    run: (text, { found }, changes) => {
      const iteration = found.iteration(text);
      if (iteration === undefined) return undefined;
      changes.iteration_id = iteration.id;
      return `Set the iteration to *iteration:${iteration.id}.`;
    },
  }),
  command({
    name: 'remove_iteration',
    on: issueKinds,
    right: 'set_metadata',
    argument: 'none',
    when: ({ subject }) => Boolean(subject.iteration),
    run: (_, { subject }, changes) => {
      changes.iteration_id = null;
      return `Removed *iteration:${subject.iteration?.id} iteration.`;
    },
  }),
];
