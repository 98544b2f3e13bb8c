import type { Actor, SignedInActor } from '../../../access/actor.ts';
import type { Services } from '../../../access/services.ts';
import type { ProjectSubject } from '../../../access/subjects.ts';
import { claimPicture, discardAvatar, pictureProblems, storePicture } from '../../../people/avatars/public.ts';
import { lockRow } from '../../../platform/database/locks.ts';
import { Forbidden, Invalid, NotFound, ParameterError } from '../../../platform/http/errors.ts';
import { instant } from '../../../platform/http/schema.ts';
import { readableIssue } from '../service.ts';
import type { MetricImageRow } from '../tables.ts';
import { enqueueFileRemoval } from './removal.ts';
import { linkProblems } from './rules.ts';
import type { MetricImageChangeParams, MetricImageEntity, NewMetricImageParams } from './schema.ts';
import * as store from './store.ts';

const pictures = { formats: ['png', 'jpg', 'jpeg', 'gif', 'bmp', 'tiff', 'ico', 'webp'], kibibytes: 1024 } as const;

function present({ id, file, url, url_text, created_at }: MetricImageRow): MetricImageEntity {
  const filename = file.slice(file.indexOf('/') + 1);
  const file_path = `/uploads/-/system/issuable_metric_image/file/${id}/${filename}`;
  return { id, created_at: instant(created_at), filename, file_path, url, url_text };
}

export async function listMetricImages(
  services: Services,
  caller: Actor,
  subject: ProjectSubject,
  iid: number,
): Promise<MetricImageEntity[]> {
  const { issue } = await readableIssue(services, caller, subject, iid);
  return (await store.imagesOf(services.db.read, issue.id)).map(present);
}

/** Attaches a metric image to an incident. */
export async function addMetricImage(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  { issue_iid, file, url = null, url_text = null }: NewMetricImageParams,
): Promise<MetricImageEntity> {
  const { issue } = await readableIssue(services, caller, subject, issue_iid);
  if (issue.issue_type !== 'incident' || !subject.can('admin_issue')) throw Forbidden.plain('Not allowed!');
  if (file === '') throw new ParameterError('file is invalid');
  const ofFile = pictureProblems(file, pictures);
  const problems = { ...(ofFile.length > 0 && { file: ofFile }), ...linkProblems({ url, url_text }) };
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
  const stored = await storePicture(services, file);
  const row = { issue_id: issue.id, file: stored, url, url_text, created_at: Date.now() };
  try {
    return await services.db.write(async (trx) => {
      if (!(await lockRow(trx, 'issues', issue.id))) throw NotFound.record();
      await claimPicture(services, trx, stored);
      return present(await store.insertImage(trx, row));
    });
  } catch (error) {
    await discardAvatar(services, stored);
    throw error;
  }
}

const noImage = () => NotFound.plain('Metric image not found');

/**
 * A metric image that the caller may change. The type is not checked: the issue may have been an incident when the
 * image was uploaded.
 */
async function changeableImage(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
  id: number,
): Promise<MetricImageRow> {
  const { issue } = await readableIssue(services, caller, subject, iid);
  if (!subject.can('admin_issue')) throw new Forbidden();
  const image = await store.findImage(services.db.read, issue.id, id);
  if (!image) throw noImage();
  return image;
}

export async function changeMetricImage(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  { issue_iid, metric_image_id, url, url_text }: MetricImageChangeParams,
): Promise<MetricImageEntity> {
  const image = await changeableImage(services, caller, subject, issue_iid, metric_image_id);
  const problems = linkProblems({ url, url_text });
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
  const columns = { ...(url !== undefined && { url }), ...(url_text !== undefined && { url_text }) };
  if (Object.keys(columns).length === 0) return present(image);
  const changed = await services.db.write((trx) => store.updateImage(trx, image, columns));
  if (!changed) throw noImage();
  return present(changed);
}

export async function removeMetricImage(
  services: Services,
  caller: SignedInActor,
  subject: ProjectSubject,
  iid: number,
  id: number,
): Promise<void> {
  const image = await changeableImage(services, caller, subject, iid, id);
  await services.db.write(async (trx) => {
    if (!(await store.updateImage(trx, image, { issue_id: null }))) throw noImage();
    await enqueueFileRemoval(services, trx);
  });
}
