import { randomUUID } from 'node:crypto';
import { visibilityName } from '../../access/roles.ts';
import { type ProjectSubject, settingsOf } from '../../access/subjects.ts';
import type { User } from '../../access/tables.ts';
import { type IdTokenSubject, idTokenSubjects } from '../../namespaces/projects/public.ts';
import { type CiJobRow, plannedJob } from '../jobs/public.ts';
import type { PipelineRow } from '../pipelines/public.ts';
import { configPathOf } from '../variables/public.ts';

/** Input of the claims of a job's ID tokens. */
export interface ClaimFacts {
  readonly issuer: string;
  readonly subject: ProjectSubject;
  readonly job: CiJobRow;
  readonly pipeline: PipelineRow;
  readonly user: User | undefined;
  /** Name of the user's role in the project. */
  readonly role: string | null;
  readonly now: number;
}

const defaultTimeout = 3600;
/** Tolerated clock skew in seconds. */
const leeway = 5;

/** The claims shared by all ID tokens of a job; only the audience differs. */
export function claimsOf({ issuer, subject, job, pipeline, user, role, now }: ClaimFacts): Record<string, unknown> {
  const { project, namespace, fullPath } = subject;
  const seconds = Math.floor(now / 1000);
  const type = job.tag === 1 ? 'tag' : 'branch';
  const path = `refs/${type === 'tag' ? 'tags' : 'heads'}/${job.ref}`;
  const environment = plannedJob(job).environment;
  const host = new URL(issuer).host;
  return {
    namespace_id: `${namespace.id}`,
    namespace_path: namespace.full_path,
    project_id: `${project.id}`,
    project_path: fullPath,
    user_id: `${user?.id ?? ''}`,
    user_login: user?.username ?? '',
    user_email: user?.email ?? '',
    user_access_level: role,
    pipeline_id: `${pipeline.id}`,
    pipeline_source: pipeline.source,
    job_id: `${job.id}`,
    ref: job.ref,
    ref_type: type,
    ref_path: path,
    ref_protected: `${job.protected === 1}`,
    ...(environment === null
      ? {}
      : { environment: environment.name, environment_protected: 'false', environment_action: environment.action }),
    ...(environment?.deploymentTier ? { deployment_tier: environment.deploymentTier } : {}),
    ...(job.runner_id === null ? {} : { runner_id: job.runner_id, runner_environment: 'self-hosted' }),
    sha: job.sha,
    project_visibility: visibilityName(project.visibility),
    ci_config_ref_uri: `${host}/${fullPath}//${configPathOf(project)}@${path}`,
    ci_config_sha: job.sha,
    jti: randomUUID(),
    iat: seconds,
    nbf: seconds - leeway,
    exp: seconds + Math.max(job.timeout ?? defaultTimeout, 60) + 300,
    iss: issuer,
    sub: subjectClaim(storedComponents(settingsOf(project)), { project_path: fullPath, ref_type: type, ref: job.ref }),
  };
}

function storedComponents({ ci_id_token_sub_claim_components: components }: Readonly<Record<string, unknown>>) {
  return idTokenSubjects.filter((part) => !Array.isArray(components) || components.includes(part));
}

/** The `sub` claim, composed of the components configured for the project. */
function subjectClaim(parts: readonly IdTokenSubject[], values: Readonly<Record<IdTokenSubject, string>>): string {
  return parts.map((part) => `${part}:${values[part]}`).join(':');
}
