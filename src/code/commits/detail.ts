import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { Commit } from '../../platform/git/objects/commit.ts';
import { projectUrl } from '../repository/public.ts';
import { presentCommit } from './present.ts';
import type { CommitDetailEntity, CommitStats, LastPipelineEntity } from './schema.ts';

/** Finds the latest pipeline of a commit that the caller may read. */
export type LastPipelineFinder = (
  services: Services,
  subject: ProjectSubject,
  sha: string,
) => Promise<LastPipelineEntity | undefined>;

declare module '../../platform/domain-events.ts' {
  interface Contributions {
    'commits.lastPipeline': LastPipelineFinder;
  }
}

/** The pipeline fields of a commit entity. */
async function pipelineFields(
  services: Services,
  subject: ProjectSubject,
  sha: string,
): Promise<Pick<CommitDetailEntity, 'status' | 'last_pipeline'>> {
  const [find] = services.contributions('commits.lastPipeline');
  const pipeline = await find?.(services, subject, sha);
  return { status: pipeline?.status ?? null, last_pipeline: pipeline ?? null };
}

/** A commit with its line statistics, if requested. */
export interface CommitWithStats {
  readonly commit: Commit;
  readonly stats?: CommitStats;
}

/** Presents a single commit with all details. */
export async function presentDetail(
  services: Services,
  { subject }: { readonly subject: ProjectSubject },
  { commit, stats }: CommitWithStats,
): Promise<CommitDetailEntity> {
  return {
    ...presentCommit(commit, projectUrl(services, subject)),
    ...(stats ? { stats } : {}),
    project_id: subject.project.id,
    ...(await pipelineFields(services, subject, commit.oid)),
  };
}
