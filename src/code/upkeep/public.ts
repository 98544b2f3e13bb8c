export { enqueueRefresh } from './refresh.ts';
