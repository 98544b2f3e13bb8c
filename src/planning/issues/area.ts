import type { Area } from '../../access/area.ts';
import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import type { DomainEvents } from '../../platform/domain-events.ts';
import { voteCounter } from '../award-emoji/public.ts';
import { labelRankUpdater } from '../labels/public.ts';
import { milestoneEventHandlers } from '../milestones/public.ts';
import { labelAndMilestoneTransfer } from '../transfer.ts';
import { issueAwardRoutes } from './awards/routes.ts';
import { updateActivityVisibility } from './changes/confidentiality.ts';
import { countAssignedIssues, countAuthoredIssues, countLabelledIssues } from './counts/service.ts';
import { countOpenIssues } from './counts/store.ts';
import { issueDiscussionRoutes } from './discussions/routes.ts';
import { issueLinkRoutes } from './links/routes.ts';
import { recountBlockedOnRemoval, updateBlocksOnStateChange } from './links/service.ts';
import { serveMetricImages } from './metric-images/pages.ts';
import { enqueueFileRemoval, metricImageJobs, removeWithIssue } from './metric-images/removal.ts';
import { metricImageRoutes } from './metric-images/routes.ts';
import { milestoneIssueRoutes } from './milestones/routes.ts';
import { issueMovingRoutes } from './moving/routes.ts';
import { countIssueNotes } from './noteable.ts';
import { issueNoteRoutes } from './notes/routes.ts';
import { issueReferences } from './references/references.ts';
import { issueEventRoutes } from './resource-events/routes.ts';
import { issueRoutes } from './routes.ts';
import { transferIssues } from './service.ts';
import { clearFormerGroupAssignments, copyMilestoneDue, countVote, mergeLabels, replaceMilestones } from './store.ts';
import { issueTimeRoutes } from './time-tracking/routes.ts';
import { issueTodoTarget } from './todo-target.ts';

const milestones = milestoneEventHandlers({ copyDue: copyMilestoneDue, replace: replaceMilestones });
const labelled = { table: 'issues', labels: 'issue_labels', key: 'issue_id' } as const;
const ranks = labelRankUpdater(labelled);
const followLabels = labelAndMilestoneTransfer(labelled);
const followPlace = async (
  services: Services,
  trx: Writer,
  change: DomainEvents['project.uprooted'],
): Promise<void> => {
  await followLabels(services, trx, change);
  await clearFormerGroupAssignments(trx, change.project.id, change.lost);
};
const votes = voteCounter('Issue', countVote, { isNews: true });

export const issues: Area = {
  name: 'issues',
  routes: (services, gates) => [
    ...issueRoutes(services, gates),
    ...issueNoteRoutes(services, gates),
    ...issueDiscussionRoutes(services, gates),
    ...issueAwardRoutes(services, gates),
    ...issueEventRoutes(services, gates),
    ...issueLinkRoutes(services, gates),
    ...metricImageRoutes(services, gates),
    ...issueMovingRoutes(services, gates),
    ...issueTimeRoutes(services, gates),
    ...milestoneIssueRoutes(services, gates),
  ],
  jobs: metricImageJobs,
  pages: async (app, context) => {
    serveMetricImages(app, context);
    return undefined;
  },
  on: {
    'label.merged': async (_services, trx, { labelIds, intoId }) => {
      await mergeLabels(trx, labelIds, intoId);
      await ranks.merged(trx, intoId);
    },
    'label.ranked': ranks.ranked,
    'label.removed': ranks.removed,
    'milestone.changed': milestones.changed,
    'milestone.removed': milestones.removed,
    'milestone.merged': milestones.merged,
    'project.transferred': followPlace,
    'project.uprooted': followPlace,
    'issue.changed': async (services, trx, change) => {
      await updateBlocksOnStateChange(services, trx, change);
      await updateActivityVisibility(services, trx, change);
    },
    'issue.removed': async (services, trx, removed) => {
      await recountBlockedOnRemoval(services, trx, removed);
      await removeWithIssue(services, trx, removed);
    },
    'project.removed': enqueueFileRemoval,
    'note.changed': countIssueNotes,
    'award.changed': votes.changed,
    'awards.dropped': votes.dropped,
    'user.removed': transferIssues,
  },
  contributes: {
    'markdown.references': issueReferences,
    'labels.counts': countLabelledIssues,
    'todos.targets': issueTodoTarget,
    'projects.openIssues': countOpenIssues,
    'users.waiting': countAssignedIssues,
    'users.associations': countAuthoredIssues,
  },
};
