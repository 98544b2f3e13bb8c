import type { Area } from '../../access/area.ts';
import { followJobs } from './follow/jobs.ts';
import { followPushes } from './follow/pushed.ts';
import { requestListRoutes } from './lists/routes.ts';
import { enqueueAutoMerge } from './merge/auto-merge-queue.ts';
import { mergeJobs } from './merge/jobs.ts';
import { repairMerges } from './merge/repair.ts';
import { mergeRoutes } from './merge/routes.ts';
import { countRequestNotes } from './noteable.ts';
import { requestNoteRoutes } from './notes/routes.ts';
import { followMilestone, leaveMilestone, mergeMilestones } from './of-milestones/follow.ts';
import { milestoneRequestRoutes } from './of-milestones/routes.ts';
import { followPipeline } from './pipelines/head.ts';
import { requestReferences } from './references.ts';
import { mergeRequestRoutes } from './routes.ts';
import { leaveRequestsTo } from './service.ts';
import { mergeLabels } from './store.ts';
import { requestTimeRoutes } from './time-tracking/routes.ts';
import { requestTodoTarget } from './todo-target.ts';
import { versionRoutes } from './versions/routes.ts';

export const mergeRequests: Area = {
  name: 'merge-requests',
  routes: (services, gates) => [
    ...requestListRoutes(services, gates),
    ...mergeRequestRoutes(services, gates),
    ...requestNoteRoutes(services, gates),
    ...requestTimeRoutes(services, gates),
    ...versionRoutes(services, gates),
    ...mergeRoutes(services, gates),
    ...milestoneRequestRoutes(services, gates),
  ],
  jobs: (services) => {
    followJobs(services);
    mergeJobs(services);
  },
  repair: repairMerges,
  on: {
    'repository.pushed': followPushes,
    'pipeline.changed': followPipeline,
    'merge-request.changed': (services, trx, { after }) => enqueueAutoMerge(services, trx, after.request),
    'milestone.changed': followMilestone,
    'milestone.removed': leaveMilestone,
    'milestone.merged': mergeMilestones,
    'note.changed': countRequestNotes,
    'user.removed': leaveRequestsTo,
    'label.merged': (_services, trx, { labelIds, intoId }) => mergeLabels(trx, labelIds, intoId),
  },
  contributes: { 'markdown.references': requestReferences, 'todos.targets': requestTodoTarget },
};
