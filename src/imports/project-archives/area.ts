import type { Area } from '../../access/area.ts';
import type { Services } from '../../access/services.ts';
import type { Writer } from '../../platform/database/database.ts';
import { clearArchive } from './archive.ts';
import { projectArchiveRoutes } from './routes.ts';
import { archiveSource } from './stages/source.ts';

declare module '../../platform/queue/job.ts' {
  interface JobPayloads {
    /** Deletes the archive of an import that has ended. */
    'project-archives.clear': { projectId: number };
  }
}

async function clearLater({ queue }: Services, trx: Writer, projectId: number): Promise<void> {
  await queue.enqueue(trx, 'project-archives.clear', { projectId });
}

/** Imports projects from export archives. */
export const projectArchives: Area = {
  name: 'imports of project files',
  routes: projectArchiveRoutes,
  jobs: (services) => {
    services.queue.defineJob('project-archives.clear', ({ payload }) => clearArchive(services, payload.projectId));
  },
  contributes: { 'imports.source': archiveSource },
  on: {
    'import.ended': (services, trx, { projectId }) => clearLater(services, trx, projectId),
    'project.removed': (services, trx, { project }) => clearLater(services, trx, project.id),
  },
};
