import type { Area } from '../../access/area.ts';
import type { Noteable } from '../notes/public.ts';
import { processCommits, schedulePushed } from './commits.ts';
import { processMentions } from './process.ts';
import { type MentioningItem, readText, scheduleMentions } from './schedule.ts';

const things = {
  Issue: { noun: 'issue', sign: '#' },
  MergeRequest: { noun: 'merge request', sign: '!' },
} as const;

function thingOf({ target, iid, commitId }: Noteable): MentioningItem | undefined {
  if (commitId !== undefined) return { target, commit: commitId };
  if (target.type === 'WikiPage::Meta') return { target, page: true };
  if ((target.type !== 'Issue' && target.type !== 'MergeRequest') || iid === null) return undefined;
  return { ...things[target.type], target, iid };
}

export const mentions: Area = {
  name: 'mentions',
  jobs: (services) => {
    services.queue.defineJob('mentions.processMentions', (job) => processMentions(services, job), { maxAttempts: 5 });
    services.queue.defineJob('mentions.read', (job) => readText(services, job), { maxAttempts: 5 });
    services.queue.defineJob('mentions.commits', (job) => processCommits(services, job), { maxAttempts: 5 });
  },
  on: {
    'repository.pushed': schedulePushed,
    'issue.changed': async (services, trx, { actorId, before, after: { issue } }) => {
      const old = before?.issue;
      if (old && old.description === issue.description && old.title === issue.title) return;
      const target = { type: 'Issue' as const, id: issue.id, project_id: issue.project_id, namespace_id: null };
      await scheduleMentions(services, trx, {
        thing: { ...things.Issue, target, iid: issue.iid },
        actorId,
        text: issue.description,
        before: old?.description ?? null,
        title: issue.title,
        titleBefore: old?.title,
        changed: old !== undefined,
      });
    },
    'note.changed': async (services, trx, { action, actorId, note, before = null, noteable }) => {
      const thing = action === 'delete' ? undefined : thingOf(noteable);
      if (!thing) return;
      const internal = note.internal === 1;
      const changed = action === 'update';
      await scheduleMentions(services, trx, {
        thing,
        actorId,
        text: note.body,
        before,
        noteId: note.id,
        internal,
        changed,
      });
    },
  },
};
