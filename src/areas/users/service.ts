/** What other areas, and the command line, may ask of users. Reading basic views: see present.ts. */
export { createUserAsAdmin, type NewUserInput } from './create.ts';
export { createUserGates, userById, userByIdOrName } from './gates.ts';
export { ghostUser } from './ghost.ts';
export { setPassword } from './password.ts';
export { publicViewOf } from './read.ts';
export { commitEmail, readsProfile } from './views.ts';
