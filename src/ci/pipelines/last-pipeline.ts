import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { LastPipelineEntity } from '../../code/commits/public.ts';
import { projectUrl } from '../../code/repository/public.ts';
import { instant } from '../../platform/http/schema.ts';
import { latestPipeline } from './store.ts';
import type { PipelineRow } from './tables.ts';

/** The newest pipeline of a commit, as the commit shows it, if the caller may know of it. */
export async function lastPipelineOf(
  services: Services,
  subject: ProjectSubject,
  sha: string,
): Promise<LastPipelineEntity | undefined> {
  if (!subject.can('read_commit_status')) return undefined;
  const pipeline = await latestPipeline(services.db.read, subject.project.id, sha);
  return pipeline && presentPipeline(pipeline, projectUrl(services, subject));
}

function presentPipeline(pipeline: PipelineRow, url: string): LastPipelineEntity {
  const { id, iid, project_id, sha, ref, status, source } = pipeline;
  return {
    id,
    iid,
    project_id,
    sha,
    ref,
    status,
    source,
    created_at: instant(pipeline.created_at),
    updated_at: instant(pipeline.updated_at),
    web_url: `${url}/-/pipelines/${id}`,
  };
}
