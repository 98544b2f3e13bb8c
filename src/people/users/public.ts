export { createUserAsAdmin, setPassword } from './accounts/service.ts';
export { blankAccount, insertUser } from './accounts/store.ts';
export { confirmedEmails, holdEmail } from './emails/store.ts';
export { createUserGates, userByIdOrName } from './gates.ts';
export { commitEmail, hiddenEmail, presentBasicUser, userAvatarUrl } from './profiles/present.ts';
export { BasicUser, type BasicUserEntity, OwnUser } from './profiles/schema.ts';
export { basicUsers, publicViewOf } from './profiles/service.ts';
export { basicColumns } from './profiles/store.ts';
