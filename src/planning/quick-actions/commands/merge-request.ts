import { type Command, command } from '../command.ts';

const on = ['merge_request'] as const;

/** Commands for merge requests and commits only. */
export const mergeRequestCommands: readonly Command[] = [
  command({
    name: 'target_branch',
    on,
    right: 'update',
    argument: 'text',
    wants: (branch) => ({ branches: [branch] }),
    run: (branch, { found }, changes) => {
      if (!found.branch(branch)) return undefined;
      changes.target_branch = branch;
      return `Set target branch to ${branch}.`;
    },
  }),
  command({
    name: 'merge',
    on,
    right: 'merge',
    argument: 'none',
    when: ({ subject }) => subject.state === 'opened' && !subject.draft,
    run: (_, __, changes) => {
      changes.merge = true;
      return 'Merged this merge request.';
    },
  }),
  command({
    name: 'rebase',
    on,
    right: 'push',
    argument: 'none',
    when: ({ subject }) => subject.state === 'opened',
    run: (_, { subject }, changes) => {
      changes.rebase = true;
      return `Scheduled a rebase of branch ${subject.sourceBranch}.`;
    },
  }),
  command({
    name: 'draft',
    on,
    right: 'update',
    argument: 'none',
    when: ({ subject }) => subject.state === 'opened',
    run: (_, { subject }, changes) => {
      changes.wip_event = 'draft';
      return subject.draft
        ? "No change to this merge request's draft status."
        : 'Marked this merge request as a draft.';
    },
  }),
  command({
    name: 'ready',
    on,
    right: 'update',
    argument: 'none',
    when: ({ subject }) => subject.state === 'opened',
    run: (_, { subject }, changes) => {
      changes.wip_event = 'ready';
      return subject.draft ? 'Marked this merge request as ready.' : "No change to this merge request's draft status.";
    },
  }),
  command({
    name: 'approve',
    on,
    right: 'approve',
    argument: 'none',
    when: ({ subject }) => !subject.approved && subject.state !== 'merged',
    run: (_, __, changes) => {
      changes.approve = true;
      return 'Approved the current merge request.';
    },
  }),
  command({
    name: 'unapprove',
    on,
    right: 'approve',
    argument: 'none',
    when: ({ subject }) => subject.approved === true && subject.state !== 'merged',
    run: (_, __, changes) => {
      changes.unapprove = true;
      return 'Unapproved the current merge request.';
    },
  }),
  command({
    name: 'request_changes',
    on,
    right: 'review',
    argument: 'none',
    run: (_, __, changes) => {
      changes.request_changes = true;
      return 'Changes requested to the current merge request.';
    },
  }),
  command({
    name: 'submit_review',
    on,
    right: 'comment',
    argument: 'maybeText',
    run: (verdict, { can, subject }, changes) => {
      if (verdict === 'approve') {
        if (!can('approve') || subject.approved) return { failure: 'You cannot approve this merge request' };
        changes.approve = true;
      }
      if (verdict === 'requested_changes') {
        if (!can('review')) return { failure: 'You cannot review this merge request' };
        changes.request_changes = true;
      }
      changes.submit_review = true;
      return 'Submitted the current review.';
    },
  }),
  command({
    name: 'run_pipeline',
    on,
    right: 'run_pipeline',
    argument: 'none',
    when: ({ subject }) => subject.state === 'opened',
    run: (_, __, changes) => {
      changes.run_pipeline = true;
      return 'Started a pipeline for this merge request.';
    },
  }),
  command({
    name: 'tag',
    on: ['commit'],
    right: 'push',
    argument: 'text',
    run: (text, _, changes) => {
      const [name = '', ...words] = text.split(' ');
      const message = words.join(' ').trim();
      changes.tag_name = name;
      if (message) changes.tag_message = message;
      return message ? `Tagged this commit to ${name} with "${message}".` : `Tagged this commit to ${name}.`;
    },
  }),
];
