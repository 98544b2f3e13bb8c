export { routeGitUrl } from './address.ts';
export { type Authenticate, createAuthenticate } from './authenticate.ts';
export { type NonProjectRepository, openNonProject, type RepositoryFinder } from './non-project-repositories.ts';
export { GitRefusal } from './refusal.ts';
export { type GitAccess, type GitOperation, openRepository } from './service.ts';
export { type AnyAccess, GitSessions } from './sessions.ts';
