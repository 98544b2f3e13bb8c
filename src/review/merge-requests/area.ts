import type { Area } from '../../access/area.ts';
import { voteCounter } from '../../planning/award-emoji/public.ts';
import { labelRankUpdater } from '../../planning/labels/public.ts';
import { milestoneEventHandlers } from '../../planning/milestones/public.ts';
import { labelAndMilestoneTransfer } from '../../planning/transfer.ts';
import { followCoverage } from './approvals/coverage.ts';
import { groupRuleRoutes } from './approvals/group-rules/routes.ts';
import { approvalRestrictionRoutes } from './approvals/restrictions/routes.ts';
import { approvalRoutes } from './approvals/routes.ts';
import { approvalSettingsRoutes, projectRuleRoutes, requestRuleRoutes } from './approvals/rules-routes.ts';
import { requestAwardRoutes } from './awards/routes.ts';
import { blockRoutes } from './blocks/routes.ts';
import { releaseBlockees } from './blocks/service.ts';
import { enqueueClosing, storeClosedIssues } from './closing/browse.ts';
import { closingRoutes } from './closing/routes.ts';
import { conflictRoutes } from './conflicts/routes.ts';
import { contextCommitRoutes } from './context-commits/routes.ts';
import { sharedSourceBranches } from './contributed/collaboration.ts';
import * as elsewhere from './contributed/contributions.ts';
import { followDeployment, linkDeployment } from './deployed/follow.ts';
import { moveDiffNotes } from './discussions/move.ts';
import { followNewNote } from './discussions/move-queue.ts';
import { followResolution } from './discussions/resolved.ts';
import { requestDiscussionRoutes } from './discussions/routes.ts';
import { draftJobs } from './draft-notes/jobs.ts';
import { draftNoteRoutes } from './draft-notes/routes.ts';
import { cleanUpJobs } from './follow/clean-refs.ts';
import { followJobs } from './follow/jobs.ts';
import { followPushes } from './follow/pushed.ts';
import { followRemovedSource, followUnlinkedFork } from './follow/unlinked.ts';
import { threadFollower } from './follow-up/service.ts';
import { openForIssue, requestOpener } from './from-issue/service.ts';
import { countAuthoredRequests, countPendingRequests } from './lists/counts.ts';
import { requestListRoutes } from './lists/routes.ts';
import { enqueueAutoMerge, enqueueAutoMerges } from './merge/auto-merge-queue.ts';
import { mergeJobs } from './merge/jobs.ts';
import { repairMerges } from './merge/repair.ts';
import { mergeRoutes } from './merge/routes.ts';
import { milestoneRequestRoutes } from './milestones/routes.ts';
import { copyMilestoneDue, replaceMilestones } from './milestones/store.ts';
import { countRequestNotes } from './noteable.ts';
import { requestNoteRoutes } from './notes/routes.ts';
import { followPipeline } from './pipelines/head.ts';
import { enqueuePipeline, pipelineJobs } from './pipelines/jobs.ts';
import { requestPipelineRoutes } from './pipelines/routes.ts';
import { removePreviewSites } from './pipelines/sites.ts';
import { openRequestsOf, pipelineVariables } from './pipelines/variables.ts';
import { executeOptionsLater, followOptions } from './push-options/service.ts';
import { scheduleDescriptionMentions } from './references/mentions.ts';
import { requestReferences } from './references/references.ts';
import { requestEventRoutes } from './resource-events/routes.ts';
import { mergeRequestRoutes } from './routes.ts';
import { transferRequests } from './service.ts';
import { statusCheckRoutes } from './status-checks/routes.ts';
import { countVote, mergeLabels } from './store.ts';
import { storeSuggestions, suggestionsOf } from './suggestions/note-suggestions.ts';
import { suggestionRoutes } from './suggestions/routes.ts';
import { requestTimeRoutes } from './time-tracking/routes.ts';
import { requestTodoTarget } from './todo-target.ts';
import { removeCar } from './trains/cars.ts';
import { followOnTrain, followTrainPipeline } from './trains/follow.ts';
import { trainJobs } from './trains/jobs.ts';
import { trainRoutes } from './trains/routes.ts';
import { versionRoutes } from './versions/routes.ts';
import { viewedFileRoutes } from './viewed-files/routes.ts';

const milestones = milestoneEventHandlers({ copyDue: copyMilestoneDue, replace: replaceMilestones });
const votes = voteCounter('MergeRequest', countVote, { isNews: false });
const labelled = { table: 'merge_requests', labels: 'merge_request_labels', key: 'merge_request_id' } as const;
const ranks = labelRankUpdater(labelled);
const followPlace = labelAndMilestoneTransfer(labelled);

export const mergeRequests: Area = {
  name: 'merge-requests',
  routes: (services, gates) => [
    ...requestListRoutes(services, gates),
    ...mergeRequestRoutes(services, gates),
    ...requestNoteRoutes(services, gates),
    ...requestTimeRoutes(services, gates),
    ...versionRoutes(services, gates),
    ...mergeRoutes(services, gates),
    ...conflictRoutes(services, gates),
    ...milestoneRequestRoutes(services, gates),
    ...requestPipelineRoutes(services, gates),
    ...requestAwardRoutes(services, gates),
    ...requestEventRoutes(services, gates),
    ...requestDiscussionRoutes(services, gates),
    ...draftNoteRoutes(services, gates),
    ...suggestionRoutes(services, gates),
    ...blockRoutes(services, gates),
    ...closingRoutes(services, gates),
    ...approvalRoutes(services, gates),
    ...projectRuleRoutes(services, gates),
    ...requestRuleRoutes(services, gates),
    ...approvalSettingsRoutes(services, gates),
    ...approvalRestrictionRoutes(services, gates),
    ...groupRuleRoutes(services, gates),
    ...contextCommitRoutes(services, gates),
    ...trainRoutes(services, gates),
    ...statusCheckRoutes(services, gates),
    ...viewedFileRoutes(services, gates),
  ],
  jobs: (services) => {
    followJobs(services);
    cleanUpJobs(services);
    mergeJobs(services);
    pipelineJobs(services);
    draftJobs(services);
    trainJobs(services);
    services.queue.defineJob('merge-requests.deployed', ({ payload }) => linkDeployment(services, payload));
    services.queue.defineJob('merge-requests.push-options', ({ payload }) => executeOptionsLater(services, payload), {
      maxAttempts: 5,
    });
    services.queue.defineJob('merge-requests.move-notes', ({ payload }) => moveDiffNotes(services, payload.id));
    services.queue.defineJob('merge-requests.for-issue', ({ payload }) => openForIssue(services, payload), {
      maxAttempts: 5,
    });
    services.queue.defineJob('merge-requests.closing', ({ payload }) => storeClosedIssues(services, payload.id));
  },
  repair: repairMerges,
  on: {
    'repository.pushed': followPushes,
    'pipeline.changed': async (services, trx, change) => {
      await followPipeline(services, trx, change);
      await followTrainPipeline(services, trx, change);
    },
    'pipeline.covered': (services, trx, { pipeline }) => followCoverage(services, trx, pipeline.project_id),
    'pipeline.removed': followTrainPipeline,
    'deployment.changed': followDeployment,
    'milestone.changed': milestones.changed,
    'milestone.removed': milestones.removed,
    'milestone.merged': milestones.merged,
    'project.updated': (services, trx, { project }) => enqueueAutoMerges(services, trx, project.id),
    'project.removed': followRemovedSource,
    'fork.unlinked': followUnlinkedFork,
    'project.transferred': followPlace,
    'project.uprooted': followPlace,
    'merge-request.changed': async (services, trx, change) => {
      await enqueuePipeline(services, trx, change);
      await enqueueClosing(services, trx, change.after.request);
      await enqueueAutoMerge(services, trx, change.after.request);
      await scheduleDescriptionMentions(services, trx, change);
      await releaseBlockees(services, trx, change);
      await followOnTrain(services, trx, change);
      await removePreviewSites(services, trx, change);
    },
    'merge-request.picked': elsewhere.noteCherryPick,
    'merge-request.removed': async (services, trx, { request }) => {
      await removeCar(services, trx, request.id);
    },
    'note.changed': async (services, trx, change) => {
      await countRequestNotes(services, trx, change);
      await followNewNote(services, trx, change);
      await storeSuggestions(services, trx, change);
    },
    'discussion.resolved': followResolution,
    'award.changed': votes.changed,
    'awards.dropped': votes.dropped,
    'user.removed': transferRequests,
    'label.merged': async (_services, trx, { labelIds, intoId }) => {
      await mergeLabels(trx, labelIds, intoId);
      await ranks.merged(trx, intoId);
    },
    'label.ranked': ranks.ranked,
    'label.removed': ranks.removed,
  },
  contributes: {
    'variables.of-merge-request': pipelineVariables,
    'variables.of-ref': openRequestsOf,
    'commits.mergeRequests': elsewhere.requestsOfCommit,
    'commits.mergedRequest': elsewhere.requestMergedBy,
    'branches.use': elsewhere.usedBranches,
    'branches.shared': sharedSourceBranches,
    'changelog.mergeRequests': elsewhere.changelogLookup,
    'pushes.openMergeRequest': elsewhere.openRequestUrl,
    'pushes.options': followOptions,
    'labels.counts': elsewhere.countLabelledRequests,
    'issues.fields': elsewhere.requestsClosing,
    'issues.requestOpener': requestOpener,
    'issues.threadFollower': threadFollower,
    'markdown.references': requestReferences,
    'todos.targets': requestTodoTarget,
    'notes.suggestions': suggestionsOf,
    'users.waiting': countPendingRequests,
    'users.associations': countAuthoredRequests,
  },
};
