import type { Actor } from '../../access/actor.ts';
import { projectSubject } from '../../access/subjects.ts';
import type { Project } from '../../access/tables.ts';
import type { Services } from '../../platform/services.ts';
import { createProject } from './create.ts';
import type { NewProject } from './params.ts';
import { presentProject } from './present.ts';
import type { ProjectEntity } from './schema.ts';

/** The answer to what changed a project: the full view of how it is now. */
export async function answerWith(services: Services, actor: Actor, project: Project): Promise<ProjectEntity> {
  const subject = await projectSubject(services.db.read, actor, project);
  return presentProject(services, actor, subject, { layer: 'full', importError: true });
}

/** Creates a project and shows it. */
export async function create(services: Services, actor: Actor, wanted: NewProject): Promise<ProjectEntity> {
  return answerWith(services, actor, await createProject(services, actor, wanted));
}
