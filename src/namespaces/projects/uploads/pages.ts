import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Actor } from '../../../access/actor.ts';
import type { Gates } from '../../../access/gates.ts';
import type { Route } from '../../../access/route.ts';
import type { Services } from '../../../access/services.ts';
import { lookUpProject, type ProjectSubject, readableProject, settingsOf } from '../../../access/subjects.ts';
import { isAvatarNamed, sendAvatar } from '../../../people/avatars/public.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { findTopic } from '../topics/store.ts';
import { pictureType } from './names.ts';
import { downloadRoute, sendUpload } from './routes.ts';

type Identify = (request: FastifyRequest, sent: Record<string, unknown>, endpoint: Route) => Promise<Actor>;

/** The project, if it shows its pictures to whoever knows their address: a mail that holds one cannot sign in. */
async function withOpenPictures(db: Reader, id: string): Promise<Pick<ProjectSubject, 'project'> | undefined> {
  const found = await lookUpProject(db, id);
  return found && settingsOf(found.project).enforce_auth_checks_on_uploads === false ? found : undefined;
}

/** The files that answers point to outside of the API: uploads by their `full_path`, and the pictures of topics. */
export function serveProjectFiles(app: FastifyInstance, services: Services, gates: Gates, identify: Identify): void {
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

  app.get<{ Params: { id: string; file: string } }>(
    '/uploads/-/system/projects/topic/avatar/:id(^\\d{1,15}$)/:file',
    async (request, reply) => {
      const topic = await findTopic(services.db.read, Number(request.params.id));
      const stored = topic?.avatar ?? null;
      if (!isAvatarNamed(stored, request.params.file)) return reply.callNotFound();
      return reply.send(await sendAvatar(services.storage, reply, stored));
    },
  );
}
