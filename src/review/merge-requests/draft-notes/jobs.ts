import { actorOnBehalfOf } from '../../../access/actor.ts';
import { accountRefusal } from '../../../access/credentials/account-state.ts';
import { findUser } from '../../../access/credentials/identify.ts';
import type { Services } from '../../../access/services.ts';
import { projectSubject } from '../../../access/subjects.ts';
import { findProject } from '../../../namespaces/projects/public.ts';
import { HttpError } from '../../../platform/http/errors.ts';
import { requestById } from '../store.ts';
import { publishDrafts } from './publish.ts';

export function draftJobs(services: Services): void {
  services.queue.defineJob('merge-requests.submit-review', async ({ payload: { id, userId } }) => {
    const { read } = services.db;
    const [request, user] = await Promise.all([requestById(read, id), findUser(read, userId)]);
    const project = request && (await findProject(read, request.project_id));
    if (!project || !user || accountRefusal(user, services.externalUrl) !== undefined) return;
    const reviewer = actorOnBehalfOf(user);
    try {
      await publishDrafts(services, reviewer, await projectSubject(read, reviewer, project), request.iid);
    } catch (error) {
      // Notes that are rejected remain drafts, where their author will find them.
      if (!(error instanceof HttpError)) throw error;
    }
  });
}
