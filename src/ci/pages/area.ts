import type { Area } from '../../access/area.ts';
import { TermsNotAccepted } from '../../access/credentials/terms-enforcement.ts';
import type { Services } from '../../access/services.ts';
import { handlerFor } from '../../platform/http/pipeline.ts';
import { followJob, publish } from './deployments/publish.ts';
import { removeExpired, removeFiles, removeWithProject } from './deployments/removal.ts';
import { domainRoutes } from './domains/routes.ts';
import { verifyDue } from './domains/verification.ts';
import { redirectToTerms, signInRoute } from './serving/sign-in.ts';
import { pagesRoutes } from './settings/routes.ts';
import { pagesVariables, prefixedVariables } from './variables.ts';

function pagesJobs(services: Services): void {
  const { queue } = services;
  queue.defineJob('pages.publish', (job) => publish(services, job.payload.jobId), { concurrency: 2 });
  queue.defineJob('pages.delete-files', (job) => removeFiles(services, job.signal), { concurrency: 1 });
  queue.recurring('pages.expiry', { everyMs: 5 * 60_000 }, () => removeExpired(services));
  queue.recurring('pages.domains', { everyMs: 15 * 60_000 }, (job) => verifyDue(services, job.signal));
}

/** Pages: static sites published by jobs and served on a separate domain. */
export const pages: Area = {
  name: 'pages',
  routes: (services, gates) => [...pagesRoutes(services, gates), ...domainRoutes(services, gates)],
  jobs: pagesJobs,
  on: { 'job.changed': followJob, 'project.removed': removeWithProject },
  contributes: { 'variables.predefined': pagesVariables, 'variables.tokens': prefixedVariables },
  pages: async (app, { services, pipeline }) => {
    if (services.config.pagesDomain === undefined) return undefined;
    const answer = handlerFor(signInRoute(services), pipeline);
    app.get('/-/pages/auth', { exposeHeadRoute: true }, (request, reply) =>
      answer(request, reply).catch((error: unknown) => {
        if (error instanceof TermsNotAccepted) return redirectToTerms(services, request, reply);
        throw error;
      }),
    );
    return undefined;
  },
};
