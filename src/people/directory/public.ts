export { groupNames, membersByCn, membersByFilter } from './groups.ts';
export { usernameFrom } from './person.ts';
