export { routeRegistryUrl } from './distribution/names.ts';
