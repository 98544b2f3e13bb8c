import type { FastifyInstance } from 'fastify';
import type { PageContext } from '../../../access/area.ts';
import { lookUpProject, type ProjectSubject, readableProject, settingsOf } from '../../../access/subjects.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { pictureType } from './names.ts';
import { downloadRoute } from './routes.ts';
import { sendUpload } from './send.ts';

/** The project, if it shows its pictures to whoever knows their address: a mail that holds one cannot sign in. */
async function withOpenPictures(db: Reader, id: string): Promise<Pick<ProjectSubject, 'project'> | undefined> {
  const found = await lookUpProject(db, id);
  return found && settingsOf(found.project).enforce_auth_checks_on_uploads === false ? found : undefined;
}

/** Uploads by their `full_path`, which answers point to. */
export function serveUploads(app: FastifyInstance, { services, gates, identify }: PageContext): void {
  // A credential opens the page if it opens the same file through the API.
  const endpoint = downloadRoute(services, gates);

  app.get<{ Params: { id: string; secret: string; filename: string } }>(
    '/-/project/:id(^\\d{1,15}$)/uploads/:secret(^[0-9a-f]{32}$)/:filename',
    async (request, reply) => {
      const { id, filename } = request.params;
      const actor = await identify(request, request.query as Record<string, unknown>, endpoint);
      const shown = pictureType(filename) !== undefined;
      const open = shown ? await withOpenPictures(services.db.read, id) : undefined;
      const subject = open ?? (await readableProject(services.db, actor, id));
      return sendUpload(services, reply, subject, request.params);
    },
  );
}
