export { admitDownload } from './service.ts';
