export { isResetOpen, resetPassword } from '../users/public.ts';
export { type AskedLetter, askForLetter } from './letters.ts';
export { type Begun, type Browser, changeOwnPassword, SignInRefused, signIn, signOut } from './sign-in.ts';
