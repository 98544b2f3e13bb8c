export { routeDownloadUrl } from './addresses.ts';
