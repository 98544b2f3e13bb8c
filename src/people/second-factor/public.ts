export { inGroups } from './recovery-codes.ts';
export {
  beginFactor,
  endFactor,
  newKey,
  type Proof,
  proveFactor,
  renewCodes,
  renewCodesOf,
  takeFactor,
} from './service.ts';
export { codesLeft } from './store.ts';
export { appLink, base32 } from './totp.ts';
