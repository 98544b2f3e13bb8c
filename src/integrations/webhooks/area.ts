import type { Area } from '../../access/area.ts';
import { deliveryJobs } from './deliveries/deliver.ts';
import { harborVariables } from './external-services/harbor.ts';
import { groupHookRoutes } from './groups/routes.ts';
import { integrationRoutes } from './integrations/routes.ts';
import { serviceRoutes } from './integrations/service-routes.ts';
import { withoutJiraIssue } from './jira/required.ts';
import { projectHookRoutes } from './projects/routes.ts';
import { resendToStatusCheck, sendToStatusChecks, statusCheckJobs } from './status-checks/send.ts';
import { ciJobs, onJob, onPipeline, onPipelinePlanned } from './subscriptions/ci.ts';
import {
  onAward,
  onDeployment,
  onFeatureFlag,
  onIssue,
  onMergeRequest,
  onMilestone,
  onNote,
  onRelease,
  onRemovedMilestone,
  onWikiPage,
} from './subscriptions/items.ts';
import { placeSubscriptions } from './subscriptions/places.ts';
import { onPush, pushJobs } from './subscriptions/pushed.ts';
import { onExpiringToken } from './subscriptions/tokens.ts';
import { systemHookRoutes } from './system/routes.ts';
import { trackerReferences } from './trackers/references.ts';

/** Webhooks and integrations. To deliver a new domain event, add one line to `on`. */
export const webhooks: Area = {
  name: 'webhooks',
  routes: (services, gates) => [
    ...projectHookRoutes(services, gates),
    ...groupHookRoutes(services, gates),
    ...systemHookRoutes(services, gates),
    ...integrationRoutes(services, gates),
    ...serviceRoutes(services, gates),
  ],
  jobs: (services) => {
    deliveryJobs(services);
    pushJobs(services);
    ciJobs(services);
    statusCheckJobs(services);
  },
  contributes: {
    'markdown.references': trackerReferences,
    'variables.predefined': harborVariables,
    'merge-requests.without-issue-elsewhere': withoutJiraIssue,
  },
  on: {
    ...placeSubscriptions,
    'repository.pushed': onPush,
    'release.changed': onRelease,
    'issue.changed': onIssue,
    'note.changed': onNote,
    'milestone.changed': onMilestone,
    'milestone.removed': onRemovedMilestone,
    'merge-request.changed': async (services, trx, change) => {
      await onMergeRequest(services, trx, change);
      await sendToStatusChecks(services, trx, change);
    },
    'status-check.retried': resendToStatusCheck,
    'award.changed': onAward,
    'wiki-page.changed': onWikiPage,
    'pipeline.changed': onPipeline,
    'pipeline.planned': onPipelinePlanned,
    'job.changed': onJob,
    'job.retried': onJob,
    'deployment.changed': onDeployment,
    'feature-flag.changed': onFeatureFlag,
    'token.expiring': onExpiringToken,
  },
};
