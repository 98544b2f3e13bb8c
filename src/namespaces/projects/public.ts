export { addProject, createProject } from './create.ts';
export type { ConfigureMirroring, FirstCommit, ImportByUrl, MirroringChange, ProjectChange } from './domain-events.ts';
export { pagesLevel, seesPages } from './features.ts';
export { instanceRunnersIn } from './instance-runners.ts';
export { forkListParams } from './lists/schema.ts';
export { listGroupProjects, listProjects, listProjectsSharedWith } from './lists/service.ts';
export { deleteProject, removeProject } from './removal/service.ts';
export { defaultBranch, ensureRepository, isBeingCopied } from './repository.ts';
export { nameProblems } from './rules.ts';
export { BasicNamespace, BasicProject, Project, ProjectIdentity, projectParam, VisibleProject } from './schema.ts';
export { type IdTokenSubject, idTokenSubjects } from './settings/id-token-subject.ts';
export { changeSettings, featureLevelsOf, settingParams, settingProblems, settingsFor } from './settings/values.ts';
export {
  claimHousekeeping,
  findProject,
  incrementCounter,
  lockProject,
  lowerVisibilityInGroup,
  nameTakenIn,
  personalNamespaceOf,
  recordFirstBranch,
  touchProject,
  updateProject,
  updateRepositoryColumns,
} from './store.ts';
export { mayCreateIn } from './target-namespace.ts';
export { moveInto } from './transfer/service.ts';
export { changeProject } from './update.ts';
export { markdownFor, uploadName } from './uploads/names.ts';
export { copyUpload, discardUploads, keepImportedFile } from './uploads/service.ts';
export { listUsers as listProjectUsers } from './users/service.ts';
export {
  httpCloneUrl,
  presentChanged,
  presentIdentity,
  presentNamespaces,
  presentSubjects,
  projectUrls,
  sshPrefix,
} from './views/present.ts';
export { type CleanupTimes, type OpenIssueCounter, type OpenIssues, subjectsOf } from './views/related.ts';
export { findProjects } from './views/store.ts';
