export { codesLeft } from '../second-factor/public.ts';
export { isResetOpen, needsApproval, resetPassword } from '../users/public.ts';
export { type AccountEmail, requestAccountEmail } from './account-emails.ts';
export type { PendingSignIn } from './pending-sign-in.ts';
export { SignInExpired, SignInRefused } from './refused.ts';
export {
  disableOwnFactor,
  enableOwnFactor,
  finishSignIn,
  hasPassword,
  isPendingSignIn,
  type Offer,
  offerFactor,
  replaceOwnCodes,
} from './second-factor.ts';
export {
  type Browser,
  changeOwnPassword,
  limitAttempts,
  type NewSession,
  passwordLock,
  recordFailedSignIn,
  signIn,
  signInAuthenticated,
  signOut,
  verifyOwner,
} from './sign-in.ts';
export { isSignUpOpen, type SignUpForm, signUp } from './sign-up.ts';
