export { limitLargeBlob } from './service.ts';
