export { isCertificate, isSigned, readCertificate } from './certificate.ts';
export { certificateHolder } from './holder.ts';
