export { findTokenByDigest, insertToken, revokeTokensOf } from './store.ts';
