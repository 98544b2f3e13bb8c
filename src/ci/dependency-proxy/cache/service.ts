import type { Services } from '../../../access/services.ts';
import type { GroupSubject } from '../../../access/subjects.ts';
import type { Slice } from '../../../platform/database/paging.ts';
import { Page } from '../../../platform/http/pages/pagination.ts';
import { instant } from '../../../platform/http/schema.ts';
import type { ProxiedBlobEntity, ProxiedManifestEntity } from './schema.ts';
import * as store from './store.ts';

/** Lists the manifests cached for a group, newest first. */
export async function listManifests({ db }: Services, { group }: GroupSubject, slice: Slice) {
  const { rows, total } = await store.listManifests(db.read, group.id, slice);
  const tags = await store.tagsOf(
    db.read,
    rows.map(({ id }) => id),
  );
  return new Page(rows, total).map(
    ({ id, image, digest, media_type, size, created_at, read_at }): ProxiedManifestEntity => ({
      id,
      image,
      tags: tags.get(id) ?? [],
      digest,
      media_type,
      size: Number(size),
      created_at: instant(created_at),
      last_pulled_at: instant(read_at),
    }),
  );
}

/** Lists the blobs cached for a group, newest first. */
export async function listBlobs({ db }: Services, { group }: GroupSubject, slice: Slice) {
  const { rows, total } = await store.listBlobs(db.read, group.id, slice);
  return new Page(rows, total).map(
    ({ id, digest, size, created_at, read_at }): ProxiedBlobEntity => ({
      id,
      digest,
      size: Number(size),
      created_at: instant(created_at),
      last_pulled_at: instant(read_at),
    }),
  );
}
