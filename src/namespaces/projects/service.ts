/** What other areas may ask of projects. */
export { createProject } from './create.ts';
export { listGroupProjects, listProjectsSharedWith } from './list.ts';
export { presentIdentity, presentSubjects } from './present.ts';
export { subjectsOf } from './related.ts';
export { deleteProject } from './removal.ts';
export { ensureRepository, isBeingCopied } from './repository.ts';
export { recordFetches } from './statistics.ts';
export { moveInto } from './transfer.ts';
