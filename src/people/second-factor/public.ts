export { inGroups } from './recovery-codes.ts';
export {
  disableFactor,
  disableFactorByCommand,
  enableFactor,
  newKey,
  type Proof,
  renewCodes,
  renewCodesOf,
  verifyFactor,
} from './service.ts';
export { codesLeft } from './store.ts';
export { appLink, base32 } from './totp.ts';
