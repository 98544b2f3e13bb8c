export { groupNames, membersByCn, membersByFilter } from './groups.ts';
