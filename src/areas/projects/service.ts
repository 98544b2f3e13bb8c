/** What other areas may ask of projects. */
export { createProject } from './create.ts';
export {
  type GroupListOptions,
  type ListRequest,
  listGroupProjects,
  listProjects,
  listProjectsSharedWith,
} from './list.ts';
export type { NewProject } from './params.ts';
export { presentIdentity, presentProject, presentProjects, presentSubjects, type View } from './present.ts';
export { subjectsOf } from './related.ts';
export { deleteProject } from './removal.ts';
export { ensureRepository, isBeingCopied } from './repository.ts';
export { recordFetches } from './statistics.ts';
export { moveInto } from './transfer.ts';
export { projectUrls } from './urls.ts';
