export { openSites } from './serving/app.ts';
