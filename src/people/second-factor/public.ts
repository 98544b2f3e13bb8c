export { inGroups } from './recovery-codes.ts';
export {
  disableFactor,
  enableFactor,
  newKey,
  type Proof,
  renewCodes,
  renewCodesOf,
  takeFactor,
  verifyFactor,
} from './service.ts';
export { codesLeft } from './store.ts';
export { appLink, base32 } from './totp.ts';
