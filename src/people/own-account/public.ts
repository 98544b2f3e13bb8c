export { hiddenEmail, privateEmail } from '../users/public.ts';
export {
  changeOwnEmail,
  changeOwnProfile,
  changeOwnUsername,
  deleteOwnAccount,
  keepOwnEmail,
  type OwnAccountRules,
  type OwnProfile,
  rulesOfOwnAccount,
} from './service.ts';
