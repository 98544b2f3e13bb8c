export { checkHeldRoles, type LevelAndRole, roleToGive } from './assignment.ts';
export { presentRole } from './present.ts';
export { MemberRole } from './schema.ts';
export { hasRoleOf, rolesByIds } from './store.ts';
export type { MemberRoleRow } from './tables.ts';
