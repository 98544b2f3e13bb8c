export {
  type AuthorizationRequest,
  denyAuthorization,
  grantAuthorization,
  readAuthorization,
  ToldElsewhere,
} from './authorize.ts';
export { answerDevice, waitingDevice } from './devices.ts';
export { OAuthError } from './errors.ts';
export { signer } from './keys/keys.ts';
