export { expiryOrNever, expiryProblem, lifetimeOf } from './expiry.ts';
export { type TokenListParams, tokenFilters, tokenListParams, tokenOrder, tokenOrders } from './list.ts';
export { createTokenFor, listTokensOf, presentedToken } from './personal/service.ts';
export { presentToken } from './present.ts';
export { asSentence, tokenProblems } from './rules.ts';
export { NewToken, PersonalAccessToken, rotation, tokenFields, tokenText } from './schema.ts';
export { type IssuedToken, issueToken, rotateToken, type TokenInput } from './service.ts';
export { deleteTokensOf, findToken, findTokenByDigest, insertToken, revokeToken, revokeTokensOf } from './store.ts';
export type { KnownToken } from './tables.ts';
