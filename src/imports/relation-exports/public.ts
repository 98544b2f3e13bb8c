export { groupAttributes, groupRelations } from './group/relations.ts';
