export { insertBadge } from './badge-store.ts';
