export { createForIdentity } from './accounts/from-provider.ts';
export { isEmail } from './accounts/rules.ts';
export { createUserAsAdmin, setPassword, type UserChange, updateUser } from './accounts/service.ts';
export { blankAccount, changeUser, insertUser, isUsernameTaken, recordSignIn } from './accounts/store.ts';
export { retireProjectBots } from './bots/service.ts';
export { changeServiceAccount, createServiceAccount, type ServiceAccountInput } from './bots/service-accounts.ts';
export { deleteGroupBots } from './bots/store.ts';
export { confirmationUrl, resendConfirmation } from './emails/confirmation.ts';
export { replaceEmail } from './emails/service.ts';
export { confirmedEmails, isEmailTaken, lockEmail, userByEmail, usersByAddress } from './emails/store.ts';
export { createUserGates, userByIdOrName } from './gates.ts';
export {
  deleteIdentity,
  identitiesOf,
  isPrimary,
  knownToProvider,
  setIdentity,
  userByIdentity,
  usersByIdentity,
} from './identities/store.ts';
export { isResetOpen, resetPassword, sendResetTo } from './passwords/reset.ts';
export { type ProvisionedFilters, provisionedList } from './profiles/list.ts';
export { listUsers } from './profiles/list-service.ts';
export { mayHavePersonalProjects } from './profiles/namespace-rights.ts';
export {
  commitEmail,
  hiddenEmail,
  localTime,
  presentBasicUser,
  privateEmail,
  userAvatarUrl,
  workInformation,
} from './profiles/present.ts';
export { BasicUser, type BasicUserEntity, OwnUser } from './profiles/schema.ts';
export { basicUsers, provisionedUsers, publicViewOf } from './profiles/service.ts';
export { basicColumns, profiles } from './profiles/store.ts';
export { isEmailAllowed } from './registration/rules.ts';
export { needsApproval, register, type SignUpInput } from './registration/service.ts';
export { ghostUser } from './removal/ghost.ts';
export { deleteUser, mergeAccount, scheduleRemoval } from './removal/service.ts';
export { numbered } from './schema.ts';
export { reactivate, setState } from './states/service.ts';
