import type { Services } from '../../access/services.ts';
import type { ProjectSubject } from '../../access/subjects.ts';
import type { LastPipelineEntity } from '../../code/commits/public.ts';
import { projectUrl } from '../../code/repository/public.ts';
import { presentBasic } from './basic.ts';
import { latestPipeline } from './store.ts';

/** The `last_pipeline` of a commit, if the caller may read its status. */
export async function lastPipelineOf(
  services: Services,
  subject: ProjectSubject,
  sha: string,
): Promise<LastPipelineEntity | undefined> {
  if (!subject.can('read_commit_status')) return undefined;
  const pipeline = await latestPipeline(services.db.read, subject.project.id, sha);
  return pipeline && presentBasic(pipeline, projectUrl(services, subject));
}
