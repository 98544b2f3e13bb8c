import type { FastifyInstance } from 'fastify';
import type { PageContext } from '../../../access/area.ts';
import { type OwnerColumns, ownerColumnsOf } from '../../../access/project-or-group.ts';
import { lookUpProject, readableGroup, readableProject, settingsOf } from '../../../access/subjects.ts';
import type { Reader } from '../../../platform/database/database.ts';
import { NotFound } from '../../../platform/http/errors.ts';
import { groupDownloadRoute } from './group-routes.ts';
import { pictureType } from './names.ts';
import { downloadRoute } from './routes.ts';
import { sendUpload } from './send.ts';

/** Returns the project if its uploads are readable without authentication, for images in e-mails. */
async function withOpenPictures(db: Reader, id: string): Promise<OwnerColumns | undefined> {
  const found = await lookUpProject(db, id);
  const isOpen = found && settingsOf(found.project).enforce_auth_checks_on_uploads === false;
  return isOpen ? { project_id: found.project.id, namespace_id: null } : undefined;
}

interface Address {
  Params: { id: string; secret: string; filename: string };
}

/** Serves uploads by their `full_path`, which API responses contain. */
export function serveUploads(app: FastifyInstance, { services, gates, identify }: PageContext): void {
  const { db } = services;
  // A credential that may download the file through the API may open the page.
  const endpoint = downloadRoute(services, gates);
  const groupEndpoint = groupDownloadRoute(services, gates);

  app.get<Address>('/-/project/:id(^\\d{1,15}$)/uploads/:secret(^[0-9a-f]{32}$)/:filename', async (request, reply) => {
    const { id, filename } = request.params;
    const actor = await identify(request, request.query as Record<string, unknown>, endpoint);
    const shown = pictureType(filename) !== undefined;
    const open = shown ? await withOpenPictures(db.read, id) : undefined;
    const owner = open ?? ownerColumnsOf(await readableProject(db, actor, id));
    return sendUpload(services, reply, owner, request.params);
  });

  app.get<Address>('/-/group/:id(^\\d{1,15}$)/uploads/:secret(^[0-9a-f]{32}$)/:filename', async (request, reply) => {
    const actor = await identify(request, request.query as Record<string, unknown>, groupEndpoint);
    const subject = await readableGroup(db, actor, request.params.id);
    if (!subject.can('read_upload')) throw new NotFound();
    return sendUpload(services, reply, ownerColumnsOf(subject), request.params);
  });
}
