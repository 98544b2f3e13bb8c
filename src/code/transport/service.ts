export { type GitAccess, type GitWish, openRepository } from './access.ts';
export { type Authenticate, createAuthenticate } from './authenticate.ts';
export { readCredentials } from './credentials.ts';
export { GitRefusal } from './refusal.ts';
export { GitSessions } from './sessions.ts';
