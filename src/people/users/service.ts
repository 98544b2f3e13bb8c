/** What other areas, and the command line, may ask of users. Reading basic views: see present.ts. */
export { createUserAsAdmin } from './create.ts';
export { createUserGates, userByIdOrName } from './gates.ts';
export { setPassword } from './password.ts';
export { publicViewOf } from './read.ts';
export { confirmedEmails } from './store.ts';
export { commitEmail, hiddenEmail } from './views.ts';
