import type { Migration } from '../platform/database/migrator.ts';

/** Uploads that were copied share a file: whoever deletes one asks whether others have it. */
export const filesOfUploads: Migration = {
  name: '0496-files-of-uploads',
  up: () => ['create index uploads_storage_key on uploads (storage_key)'],
};
