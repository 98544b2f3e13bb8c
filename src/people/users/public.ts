export { createUserAsAdmin } from './create.ts';
export { createUserGates, userByIdOrName } from './gates.ts';
export { setPassword } from './password.ts';
export { basicColumns, basicUsers, presentBasicUser, userAvatarUrl } from './present.ts';
export { publicViewOf } from './read.ts';
export { BasicUser, type BasicUserEntity, OwnUser } from './schema.ts';
export { confirmedEmails } from './store.ts';
export { commitEmail, hiddenEmail } from './views.ts';
