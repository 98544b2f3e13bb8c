import { findUser } from '../../../access/credentials/identify.ts';
import type { Services } from '../../../access/services.ts';
import type { DeploymentRow, EnvironmentRow } from '../../../ci/environments/public.ts';
import { shownTitle } from '../../../code/commits/public.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { type ProjectWithNamespace, projectPart, userPart, utcText, webUrl } from './parts.ts';

/** Payload for a deployment in its current state. */
export async function deploymentPayload(
  services: Services,
  db: Reader,
  located: ProjectWithNamespace,
  { deployment, environment }: { readonly deployment: DeploymentRow; readonly environment: EnvironmentRow },
): Promise<object> {
  const { git, externalUrl } = services;
  const url = webUrl(services, located);
  const user = await findUser(db, deployment.user_id);
  const commit = await git.objects(git.repository(located.project.id)).commit(deployment.sha);
  return {
    object_kind: 'deployment',
    status: deployment.status,
    status_changed_at: utcText(deployment.updated_at).replace('UTC', '+0000'),
    deployment_id: deployment.id,
    deployable_id: deployment.job_id,
    deployable_url: deployment.job_id === null ? null : `${url}/-/jobs/${deployment.job_id}`,
    environment: environment.name,
    environment_tier: environment.tier,
    environment_slug: environment.slug,
    environment_external_url: environment.external_url,
    project: projectPart(services, located),
    short_sha: deployment.sha.slice(0, 8),
    user: user ? userPart(services, user) : null,
    user_url: user ? `${externalUrl}/${user.username}` : null,
    commit_url: `${url}/-/commit/${deployment.sha}`,
    commit_title: commit ? shownTitle(commit) : null,
    ref: deployment.ref,
  };
}
