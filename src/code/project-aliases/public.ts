export { projectByAlias } from './service.ts';
