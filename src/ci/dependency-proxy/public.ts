export { routeProxyUrl } from './pulls/names.ts';
