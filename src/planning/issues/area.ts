import type { Area } from '../../access/area.ts';
import { issueAwardRoutes } from './awards/routes.ts';
import { issueDiscussionRoutes } from './discussions/routes.ts';
import { issueLinkRoutes } from './links/routes.ts';
import { followRemoval, followState } from './links/service.ts';
import { issueMovingRoutes } from './moving/routes.ts';
import { countIssueNotes } from './noteable.ts';
import { issueNoteRoutes } from './notes/routes.ts';
import { followMilestone, leaveMilestone, mergeMilestones } from './of-milestones/follow.ts';
import { milestoneIssueRoutes } from './of-milestones/routes.ts';
import { issueReferences } from './references.ts';
import { issueEventRoutes } from './resource-events/routes.ts';
import { issueRoutes } from './routes.ts';
import { leaveIssuesTo } from './service.ts';
import { mergeLabels } from './store.ts';
import { issueTimeRoutes } from './time-tracking/routes.ts';
import { issueTodoTarget } from './todo-target.ts';
import { countIssueVote, dropIssueVotes } from './votes.ts';

export const issues: Area = {
  name: 'issues',
  routes: (services, gates) => [
    ...issueRoutes(services, gates),
    ...issueNoteRoutes(services, gates),
    ...issueDiscussionRoutes(services, gates),
    ...issueAwardRoutes(services, gates),
    ...issueEventRoutes(services, gates),
    ...issueLinkRoutes(services, gates),
    ...issueMovingRoutes(services, gates),
    ...issueTimeRoutes(services, gates),
    ...milestoneIssueRoutes(services, gates),
  ],
  on: {
    'label.merged': (_services, trx, { labelIds, intoId }) => mergeLabels(trx, labelIds, intoId),
    'milestone.changed': followMilestone,
    'milestone.removed': leaveMilestone,
    'milestone.merged': mergeMilestones,
    'issue.changed': followState,
    'issue.removed': followRemoval,
    'note.changed': countIssueNotes,
    'award.changed': countIssueVote,
    'awards.dropped': dropIssueVotes,
    'user.removed': leaveIssuesTo,
  },
  contributes: { 'markdown.references': issueReferences, 'todos.targets': issueTodoTarget },
};
