export { type Backup, takeBackup } from './backup.ts';
export { restoreBackup } from './restore.ts';
