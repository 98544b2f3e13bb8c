/** What other areas may ask of projects. */
export { createProject } from './create.ts';
export { listGroupProjects, listProjectsSharedWith } from './lists/service.ts';
export { deleteProject } from './removal/service.ts';
export { ensureRepository, isBeingCopied } from './repository.ts';
export { lowerVisibilityInGroup } from './store.ts';
export { moveInto } from './transfer/service.ts';
export { presentIdentity, presentSubjects } from './views/present.ts';
export { subjectsOf } from './views/related.ts';
