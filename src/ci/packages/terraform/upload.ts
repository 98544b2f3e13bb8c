import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../../access/actor.ts';
import { planLimits } from '../../../access/limits/plan-limits.ts';
import { rootNamespaceId } from '../../../access/namespaces/hierarchy.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { acquireLock, lockRow } from '../../../platform/database/locks.ts';
import { Forbidden, NotFound, ParameterError } from '../../../platform/http/errors.ts';
import { requireUnprotected } from '../protection/guard.ts';
import { fileNamed, projectsWith } from '../store.ts';
import { fileTooLarge, publishFile } from '../store-file.ts';
import { type ModuleName, moduleFile, modulePackage } from './names.ts';

/** Publishes the archive of a module version, which can only be published once. */
export async function receiveModule(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  params: ModuleName & { readonly module_version: string },
  request: FastifyRequest,
): Promise<void> {
  const content = (request.body as Readable | undefined) ?? Readable.from([]);
  try {
    const name = modulePackage(params);
    if (name === undefined) throw new ParameterError('module_name or module_system is invalid');
    const file_name = moduleFile(params, params.module_version);
    if (file_name === undefined) throw new ParameterError('module_version is invalid');
    const maxSize = (await planLimits(services.db.read)).terraform_module_max_file_size;
    if (maxSize > 0 && Number(request.headers['content-length'] ?? 0) > maxSize) throw fileTooLarge();
    const named = { package_type: 'terraform_module' as const, name, version: params.module_version, file_name };
    await requireUnprotected(services, caller, subject, named, 'push');
    await publish(services, caller, subject, { ...named, content, maxSize });
  } finally {
    content.resume();
  }
}

async function publish(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  file: Parameters<typeof publishFile>[3],
): Promise<void> {
  const { project } = subject;
  await publishFile(services, caller, subject, {
    ...file,
    async join(trx, { id }) {
      const root = await rootNamespaceId(trx, project.namespace_id);
      // Serializes concurrent claims of a name in the root namespace.
      await acquireLock(trx, `terraform-modules:${root}`);
      // Modules are addressed by root namespace, so the name must be unique within it.
      if ((await projectsWith(trx, file, root, 2)).some((one) => one !== project.id)) {
        throw new Forbidden('A package with the same name already exists in the namespace');
      }
      if (!(await lockRow(trx, 'packages', id))) throw new NotFound('Package');
      if (await fileNamed(trx, id, file.file_name)) throw new Forbidden('Package version already exists.');
    },
  });
}
