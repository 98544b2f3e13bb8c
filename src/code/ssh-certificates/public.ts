export { isCertificate, isValidSshSignature, readCertificate } from './certificate.ts';
export { certificateHolder } from './holder.ts';
