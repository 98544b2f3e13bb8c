import type { FastifyInstance } from 'fastify';
import type { PageContext } from '../../../access/area.ts';
import { readableProject } from '../../../access/subjects.ts';
import { isAvatarNamed, sendAvatar } from '../../../people/avatars/public.ts';
import { readableIssue } from '../service.ts';
import { listRoute } from './routes.ts';
import { fileOf } from './store.ts';

/** Serves the files that `file_path` points to, to callers who may read the issue. */
export function serveMetricImages(app: FastifyInstance, { services, gates, identify }: PageContext): void {
  // Credentials that may list the images may download them too.
  const endpoint = listRoute(services, gates);
  app.get<{ Params: { id: string; file: string } }>(
    '/uploads/-/system/issuable_metric_image/file/:id(^\\d{1,15}$)/:file',
    async (request, reply) => {
      const actor = await identify(request, request.query as Record<string, unknown>, endpoint);
      const found = await fileOf(services.db.read, Number(request.params.id));
      if (!found || !isAvatarNamed(found.file, request.params.file)) return reply.callNotFound();
      const subject = await readableProject(services.db, actor, found.project_id);
      await readableIssue(services, actor, subject, found.iid);
      return reply.send(await sendAvatar(services.storage, reply, found.file));
    },
  );
}
