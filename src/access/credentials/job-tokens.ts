import { type SqlBool, sql } from 'kysely';
import type { Reader } from '../../platform/database/database.ts';
import { type Param, statement } from '../../platform/database/statement.ts';
import type { Actor } from '../actor.ts';
import type { Services } from '../services.ts';
import type { Project } from '../tables.ts';
import type { JobTokenLookup } from './identify.ts';

declare module '../../platform/domain-events.ts' {
  interface Contributions {
    /** Contributed by the area that runs jobs. */
    'access.job-token': (services: Services, token: string) => ReturnType<JobTokenLookup>;
  }
}

/** What is known of the caller that presents the token of a job. */
export async function jobCredential(
  { settings }: Services,
  { id, project_id: projectId }: { readonly id: number; readonly project_id: number },
): Promise<NonNullable<Actor['job']>> {
  return { id, projectId, onlyListed: (await settings.read()).enforce_ci_inbound_job_token_scope_enabled };
}

/** Finds the running job that a token belongs to. */
export function jobTokenLookup(services: Services): JobTokenLookup {
  return async (token) => {
    for (const lookUp of services.contributions('access.job-token')) {
      const found = await lookUp(services, token);
      if (found) return found;
    }
    return undefined;
  };
}

const listed = statement((db, param: Param<{ project: number; from: number; anyCounts: number }>) =>
  db
    .selectFrom('job_token_allowlist as l')
    .select('l.id')
    .where('l.project_id', '=', param('project'))
    .where(
      sql<SqlBool>`(l.target_project_id = ${param('from')}
        or (coalesce(l.target_project_id, l.target_group_id) is null and ${param('anyCounts')} = 1)
        or l.target_group_id in (
        select a.ancestor_id from projects p join namespace_ancestors a on a.namespace_id = p.namespace_id
        where p.id = ${param('from')}))`,
    )
    .limit(1),
);

/**
 * Whether a project accepts a job's token: that of its own jobs always, others if its allowlist includes them or
 * everyone, unless the instance enforces allowlists.
 */
export async function acceptsJobToken(db: Reader, project: Project, { job }: Pick<Actor, 'job'>): Promise<boolean> {
  if (!job || job.projectId === project.id) return true;
  return (
    (await listed.first(db, { project: project.id, from: job.projectId, anyCounts: job.onlyListed ? 0 : 1 })) !==
    undefined
  );
}
