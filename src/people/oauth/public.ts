export {
  AuthorizationRedirectError,
  type AuthorizationRequest,
  denyAuthorization,
  grantAuthorization,
  readAuthorization,
} from './authorize.ts';
export { answerDevice, waitingDevice } from './devices.ts';
export { OAuthError } from './errors.ts';
export { signer } from './keys/keys.ts';
