export { importMembers } from './members.ts';
export { importBadges, importBoards, importEpics, importLabels, importMilestones, placeEpics } from './planning.ts';
export { grantedRole } from './roles.ts';
export type { GroupRun, RecordWriter } from './run.ts';
export { exportedSettings, importedSettings } from './settings.ts';
export { importUploads } from './uploads.ts';
