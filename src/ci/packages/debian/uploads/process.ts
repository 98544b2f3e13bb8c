import type { Services } from '../../../../access/services.ts';
import { uniqueViolation } from '../../../../platform/database/errors.ts';
import { lockRow } from '../../../../platform/database/locks.ts';
import { type Job, type JobPayloads, RunAgain } from '../../../../platform/queue/job.ts';
import { removeFiles } from '../../service.ts';
import * as packages from '../../store.ts';
import { releaseSoon } from '../indexes/refresh.ts';
import { Rejected } from '../rejected.ts';
import { readBinary, readUpload, type Upload, type UploadedFile } from './contents.ts';
import * as store from './store.ts';
import { lockIncoming } from './upload.ts';

type Payload = JobPayloads['packages.process-debian'];
const maxMessageLength = 500;
/** After another upload has taken or published one of the files. */
const raceDelay = 100;

/** Publishes the files that an uploaded `.changes` lists, or one binary package. */
export async function processUpload(services: Services, job: Job<Payload>): Promise<void> {
  const { fileId, target } = job.payload;
  const file = await store.incomingFile(services.db.read, fileId);
  if (!file) return;
  try {
    const upload = target ? await readBinary(services, file, target) : await readUpload(services, file);
    await publish(services, job, file, upload);
  } catch (error) {
    if (!(error instanceof Rejected)) throw error;
    await reject(services, job, file, error.message);
  }
}

/** Moves the files from the incoming ones into their package and distribution. */
async function publish(services: Services, job: Job<Payload>, file: UploadedFile, upload: Upload): Promise<void> {
  const { project_id, package_id: from } = file;
  const { distributionId, source, files, names } = upload;
  const now = Date.now();
  await services.db
    .write(async (trx) => {
      await lockIncoming(trx, project_id);
      if (!(await lockRow(trx, 'debian_distributions', distributionId, 'keep'))) {
        throw new Rejected('the distribution was deleted');
      }
      const { found } = await packages.ensurePackage(trx, {
        ...{ project_id, package_type: 'debian', ...source, status: 'default', creator_id: job.payload.userId },
        ...{ last_downloaded_at: null, created_at: now, updated_at: now },
      });
      await packages.updatePackage(trx, found.id, { updated_at: now });
      for (const { id } of files) {
        if (!(await store.moveFile(trx, id, from, found.id))) throw new RunAgain(raceDelay);
      }
      await store.insertPublished(
        trx,
        files.map(({ id: file_id, entry }) => ({ file_id, distribution_id: distributionId, ...entry })),
      );
      // Uploaded several times, or published before.
      await removeFiles(services, trx, { project: { id: project_id } }, { packageId: from, names });
      if (!(await store.hasFiles(trx, from))) await packages.deletePackage(trx, from);
      await releaseSoon(services, trx, [distributionId]);
      await job.finish(trx);
    })
    .catch((error: unknown) => {
      const isTaken = uniqueViolation(error, ['distribution_id', 'file_name']);
      throw isTaken ? new RunAgain(raceDelay) : error;
    });
}

/** Removes a file that cannot be published. The reason is shown with the remaining incoming files. */
async function reject(services: Services, job: Job<Payload>, file: UploadedFile, reason: string): Promise<void> {
  const { id, file_name, package_id, project_id } = file;
  const status_message = `${file_name}: ${reason}`.slice(0, maxMessageLength);
  await services.db.write(async (trx) => {
    await lockIncoming(trx, project_id);
    await removeFiles(services, trx, { project: { id: project_id } }, { fileId: id });
    await packages.updatePackage(trx, package_id, { status: 'error', status_message });
    await job.finish(trx);
  });
}
