export { startSsh } from './server.ts';
