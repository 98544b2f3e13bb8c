export { routeGitUrl } from './address.ts';
export { type Authenticate, createAuthenticate } from './authenticate.ts';
export { openBeside, type RepositoryBeside, type RepositoryFinder } from './beside-projects.ts';
export { GitRefusal } from './refusal.ts';
export { type GitAccess, type GitWish, openRepository } from './service.ts';
export { type AnyAccess, GitSessions } from './sessions.ts';
