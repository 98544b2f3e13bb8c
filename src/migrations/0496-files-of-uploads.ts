import type { Migration } from '../platform/database/migrator.ts';

/** Copied uploads share a file: on deletion, the index finds other users of it. */
export const filesOfUploads: Migration = {
  name: '0496-files-of-uploads',
  up: () => ['create index uploads_storage_key on uploads (storage_key)'],
};
