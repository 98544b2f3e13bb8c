import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { CommitDetailEntity, LastPipelineEntity } from './schema.ts';

/** Finds the newest pipeline of a commit, if the caller may know of it. */
export type LastPipelineFinder = (
  services: Services,
  subject: ProjectSubject,
  sha: string,
) => Promise<LastPipelineEntity | undefined>;

declare module '../../platform/occurrences.ts' {
  interface Contributions {
    'commits.lastPipeline': LastPipelineFinder;
  }
}

/** What a commit tells of its newest pipeline. */
export async function pipelineFields(
  services: Services,
  subject: ProjectSubject,
  sha: string,
): Promise<Pick<CommitDetailEntity, 'status' | 'last_pipeline'>> {
  const [find] = services.contributed('commits.lastPipeline');
  const pipeline = await find?.(services, subject, sha);
  return { status: pipeline?.status ?? null, last_pipeline: pipeline ?? null };
}
